import { patternOf, memoized, type Pattern } from './patterns.ts'

/** A token of an expression. */
type Token =
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'pattern'; readonly source: string }
  | { readonly kind: 'null' }
  | { readonly kind: 'operator'; readonly name: Operator }
  | { readonly kind: 'open' }
  | { readonly kind: 'close' }

type Operator = '==' | '!=' | '=~' | '!~' | '&&' | '||'

/** The error for an expression that cannot be parsed. */
class ExpressionError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ExpressionError'
  }
}

const MAX_TOKENS = 100

/** The forms of tokens, each with a function that makes the token. */
const FORMS: readonly [RegExp, (match: RegExpExecArray) => Token][] = [
  [/\$(\w+)/y, ([, name]) => ({ kind: 'variable', name: name! })],
  [/"([^"]*)"|'([^']*)'/y, ([, double, single]) => ({ kind: 'text', value: double ?? single ?? '' })],
  [/\/(?:[^\\/\n]|\\.)+\/[ismU]*/y, ([source]) => ({ kind: 'pattern', source })],
  [/null\b/y, () => ({ kind: 'null' })],
  [/==|!=|=~|!~|&&|\|\|/y, ([name]) => ({ kind: 'operator', name: name as Operator })],
  [/\(/y, () => ({ kind: 'open' })],
  [/\)/y, () => ({ kind: 'close' })],
]

/** The tokens of an expression (spec ci 4.6). Throws ExpressionError for unknown tokens and for more than 100. */
function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  let offset = 0
  while (offset < text.length) {
    if (/\s/.test(text[offset]!)) {
      offset++
      continue
    }
    const token = tokenAt(text, offset)
    if (!token) throw new ExpressionError('Unknown lexeme found!')
    tokens.push(token[0])
    if (tokens.length > MAX_TOKENS) throw new ExpressionError('Too many tokens!')
    offset = token[1]
  }
  return tokens
}

function tokenAt(text: string, offset: number): [Token, number] | undefined {
  for (const [form, make] of FORMS) {
    form.lastIndex = offset
    const match = form.exec(text)
    if (match) return [make(match), form.lastIndex]
  }
  return undefined
}

/** The syntax tree of an expression. */
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

const cachedParse = memoized(tryParse, 1000)

/** Parses an expression (spec ci 4.6). Throws ExpressionError. */
function parseExpression(text: string): Expression {
  const result = cachedParse(text)
  if (result instanceof ExpressionError) throw result
  return result
}

/** Whether a text is a valid expression. */
export function isExpression(text: string): boolean {
  try {
    parseExpression(text)
    return true
  } catch {
    return false
  }
}

function tryParse(text: string): Expression | ExpressionError {
  try {
    return new Parser(tokensOf(text)).parse()
  } catch (error) {
    return error instanceof ExpressionError ? error : new ExpressionError('Invalid expression')
  }
}

/**
 * A recursive descent parser. `||` binds weaker than `&&`, and `&&` weaker than comparisons. The maximum number of
 * tokens limits the depth of the recursion.
 */
class Parser {
  readonly #tokens: readonly Token[]
  #position = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  parse(): Expression {
    const tree = this.#disjunction()
    if (this.#position < this.#tokens.length) throw new ExpressionError('Unreachable nodes!')
    return tree
  }

  #disjunction(): Expression {
    return this.#chain(['||'], () => this.#conjunction())
  }

  #conjunction(): Expression {
    return this.#chain(['&&'], () => this.#comparison())
  }

  #comparison(): Expression {
    return this.#chain(['==', '!=', '=~', '!~'], () => this.#value())
  }

  #chain(names: readonly Operator[], next: () => Expression): Expression {
    let left = next()
    for (;;) {
      const token = this.#tokens[this.#position]
      if (token?.kind !== 'operator' || !names.includes(token.name)) return left
      this.#position++
      left = operation(token.name, left, next())
    }
  }

  #value(): Expression {
    const token = this.#tokens[this.#position++]
    if (token?.kind === 'open') {
      const inner = this.#disjunction()
      if (this.#tokens[this.#position++]?.kind !== 'close')
        throw new ExpressionError('Unbalanced parentheses!')
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
    // The right side must be able to hold a pattern. The value of a variable is only known in the evaluation.
    if (right.kind === 'null' || right.kind === 'operation') throw new ExpressionError('Invalid operand!')
  }
  return { kind: 'operation', name, left, right }
}

/** Returns the value of a variable. Null or undefined if it is unknown. */
export type Lookup = (name: string) => string | null | undefined
type Result = string | boolean | null

/**
 * Whether an expression is true (spec ci 4.6). `values` returns values in which variables are already expanded. An
 * invalid expression is false.
 */
export function isTrue(text: string, values: Lookup): boolean {
  let tree: Expression
  try {
    tree = parseExpression(text)
  } catch {
    return false
  }
  return isTruthy(evaluate(tree, values))
}

function isTruthy(result: Result): boolean {
  return typeof result === 'string' ? result.trim() !== '' : result === true
}

function evaluate(tree: Expression, values: Lookup): Result {
  if (tree.kind === 'variable') return values(tree.name) ?? null
  if (tree.kind === 'text') return tree.value
  if (tree.kind === 'null') return null
  if (tree.kind === 'pattern') return tree.source
  const left = evaluate(tree.left, values)
  if (tree.name === '&&') return isTruthy(left) ? evaluate(tree.right, values) : left
  if (tree.name === '||') return isTruthy(left) ? left : evaluate(tree.right, values)
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
