/** One piece of an expression. */
export type Token =
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'pattern'; readonly source: string }
  | { readonly kind: 'null' }
  | { readonly kind: 'operator'; readonly name: Operator }
  | { readonly kind: 'open' }
  | { readonly kind: 'close' }

export type Operator = '==' | '!=' | '=~' | '!~' | '&&' | '||'

/** Why an expression cannot be read. */
export class ExpressionError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ExpressionError'
  }
}

const MAX_TOKENS = 100

const FORMS: readonly [RegExp, (found: RegExpExecArray) => Token][] = [
  [/\$(\w+)/y, ([, name]) => ({ kind: 'variable', name: name! })],
  [/"([^"]*)"|'([^']*)'/y, ([, double, single]) => ({ kind: 'text', value: double ?? single ?? '' })],
  [/\/(?:[^\\/\n]|\\.)+\/[ismU]*/y, ([source]) => ({ kind: 'pattern', source })],
  [/null\b/y, () => ({ kind: 'null' })],
  [/==|!=|=~|!~|&&|\|\|/y, ([name]) => ({ kind: 'operator', name: name as Operator })],
  [/\(/y, () => ({ kind: 'open' })],
  [/\)/y, () => ({ kind: 'close' })],
]

/** The tokens of an expression (spec ci 4.6). Throws ExpressionError for more than 100, or what is none. */
export function tokensOf(text: string): Token[] {
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
    const found = form.exec(text)
    if (found) return [make(found), form.lastIndex]
  }
  return undefined
}
