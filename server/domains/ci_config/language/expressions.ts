import { patternOf, remembered, type Pattern } from './patterns.ts'

/** One piece of an expression. */
type Token =
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'pattern'; readonly source: string }
  | { readonly kind: 'null' }
  | { readonly kind: 'operator'; readonly name: Operator }
  | { readonly kind: 'open' }
  | { readonly kind: 'close' }

type Operator = '==' | '!=' | '=~' | '!~' | '&&' | '||'

/** The reason why an expression cannot be parsed. */
class ExpressionError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ExpressionError'
  }
}

const MAX_TOKENS = 100

const FORMS: readonly [RegExp, (match: RegExpExecArray) => Token][] = [
  [/\$(\w+)/y, ([, name]) => ({ kind: 'variable', name: name! })],
  [/"([^"]*)"|'([^']*)'/y, ([, double, single]) => ({ kind: 'text', value: double ?? single ?? '' })],
  [/\/(?:[^\\/\n]|\\.)+\/[ismU]*/y, ([source]) => ({ kind: 'pattern', source })],
  [/null\b/y, () => ({ kind: 'null' })],
  [/==|!=|=~|!~|&&|\|\|/y, ([name]) => ({ kind: 'operator', name: name as Operator })],
  [/\(/y, () => ({ kind: 'open' })],
  [/\)/y, () => ({ kind: 'close' })],
]

/** The tokens of an expression (spec ci 4.6). Throws ExpressionError for more than 100, and for unknown ones. */
function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  let at = 0
  while (at < text.length) {
    if (/\s/.test(text[at]!)) {
      at++
      continue
    }
    const token = tokenAt(text, at)
    if (!token) throw new ExpressionError('Unknown lexeme found!')
    tokens.push(token[0])
    if (tokens.length > MAX_TOKENS) throw new ExpressionError('Too many tokens!')
    at = token[1]
  }
  return tokens
}

function tokenAt(text: string, at: number): [Token, number] | undefined {
  for (const [form, make] of FORMS) {
    form.lastIndex = at
    const match = form.exec(text)
    if (match) return [make(match), form.lastIndex]
  }
  return undefined
}

/** An expression as a tree. */
type Expression =
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'pattern'; readonly source: string; readonly pattern: Pattern }
  | { readonly kind: 'null' }
  | {
      readonly kind: 'operation'
      readonly name: Operator
      readonly left: Expression
      readonly right: Expression
    }

const attemptOnce = remembered(attempt, 1000)

/** Reads an expression (spec ci 4.6). Throws ExpressionError. */
function parseExpression(text: string): Expression {
  const read = attemptOnce(text)
  if (read instanceof ExpressionError) throw read
  return read
}

/** True when the text is an expression. */
export function isExpression(text: string): boolean {
  try {
    parseExpression(text)
    return true
  } catch {
    return false
  }
}

function attempt(text: string): Expression | ExpressionError {
  try {
    return new Parser(tokensOf(text)).whole()
  } catch (error) {
    return error instanceof ExpressionError ? error : new ExpressionError('Invalid expression')
  }
}

/** A recursive descent parser: `||` of `&&` of comparisons of values; the number of tokens limits the depth. */
class Parser {
  readonly #tokens: readonly Token[]
  #at = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  whole(): Expression {
    const tree = this.#either()
    if (this.#at < this.#tokens.length) throw new ExpressionError('Unreachable nodes!')
    return tree
  }

  #either(): Expression {
    return this.#chain(['||'], () => this.#both())
  }

  #both(): Expression {
    return this.#chain(['&&'], () => this.#comparison())
  }

  #comparison(): Expression {
    return this.#chain(['==', '!=', '=~', '!~'], () => this.#value())
  }

  #chain(names: readonly Operator[], next: () => Expression): Expression {
    let left = next()
    for (;;) {
      const token = this.#tokens[this.#at]
      if (token?.kind !== 'operator' || !names.includes(token.name)) return left
      this.#at++
      left = operation(token.name, left, next())
    }
  }

  #value(): Expression {
    const token = this.#tokens[this.#at++]
    if (token?.kind === 'open') {
      const inner = this.#either()
      if (this.#tokens[this.#at++]?.kind !== 'close') throw new ExpressionError('Unbalanced parentheses!')
      return inner
    }
    if (token?.kind === 'pattern') {
      const pattern = patternOf(token.source)
      if (!pattern) throw new ExpressionError('Invalid regular expression!')
      return { kind: 'pattern', source: token.source, pattern }
    }
    if (token?.kind === 'variable' || token?.kind === 'text' || token?.kind === 'null') return token
    throw new ExpressionError('A value is missing!')
  }
}

function operation(name: Operator, left: Expression, right: Expression): Expression {
  if (name === '=~' || name === '!~') {
    // A text or null is no pattern; the value of a variable is only known in the evaluation.
    if (right.kind === 'null' || right.kind === 'operation') throw new ExpressionError('Invalid operand!')
  }
  return { kind: 'operation', name, left, right }
}

/** Values by name; null or undefined for unknown names. */
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
