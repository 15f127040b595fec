import { patternOf, type Pattern } from '../patterns.ts'
import { ExpressionError, tokensOf, type Operator, type Token } from './lex.ts'

/** An expression as a tree. */
export type Expression =
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

const MAX_KEPT = 1000
const kept = new Map<string, Expression | ExpressionError>()

/** Reads an expression (spec ci 4.6). Throws ExpressionError. What was read before is remembered. */
export function parseExpression(text: string): Expression {
  let known = kept.get(text)
  if (!known) {
    known = attempt(text)
    if (kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value!)
    kept.set(text, known)
  }
  if (known instanceof ExpressionError) throw known
  return known
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

/** By descent: `||` of `&&` of comparisons of values; the number of tokens limits the depth. */
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
    // A text or null is no pattern; what a variable holds is seen when it is evaluated.
    if (right.kind === 'null' || right.kind === 'operation') throw new ExpressionError('Invalid operand!')
  }
  return { kind: 'operation', name, left, right }
}
