import { patternOf } from '../patterns.ts'
import { parseExpression, type Expression } from './parse.ts'

/** Values by name; what is not there is null. */
export type Lookup = (name: string) => string | null | undefined

type Result = string | boolean | null

/**
 * Truth of an expression (spec ci 4.6). `values` are expanded already. An expression that cannot be read is false.
 */
export function isTrue(text: string, values: Lookup): boolean {
  let tree: Expression
  try {
    tree = parseExpression(text)
  } catch {
    return false
  }
  return truth(evaluate(tree, values))
}

function truth(result: Result): boolean {
  return typeof result === 'string' ? result.trim() !== '' : result === true
}

function evaluate(tree: Expression, values: Lookup): Result {
  if (tree.kind === 'variable') return values(tree.name) ?? null
  if (tree.kind === 'text') return tree.value
  if (tree.kind === 'null') return null
  if (tree.kind === 'pattern') return tree.source
  const left = evaluate(tree.left, values)
  if (tree.name === '&&') return truth(left) ? evaluate(tree.right, values) : left
  if (tree.name === '||') return truth(left) ? left : evaluate(tree.right, values)
  if (tree.name === '==') return left === evaluate(tree.right, values)
  if (tree.name === '!=') return left !== evaluate(tree.right, values)
  return matches(left, tree.right, values) === (tree.name === '=~')
}

function matches(left: Result, right: Expression, values: Lookup): boolean {
  const subject = left === null ? '' : String(left)
  if (right.kind === 'pattern') return right.pattern.test(subject)
  const source = evaluate(right, values)
  return typeof source === 'string' && (patternOf(source)?.test(subject) ?? false)
}
