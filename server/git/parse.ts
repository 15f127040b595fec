type Placeholders = Readonly<Record<string, string>>
type Row<T extends Placeholders> = { readonly [K in keyof T]: string }

/** A format string for git and the parser for its output. Both are created from one table, so that they always match. */
export interface Fields<T extends Placeholders> {
  readonly format: string
  /** Reads the whole output. Throws RangeError when it does not match `format`. */
  parse(output: Buffer): Row<T>[]
}

/** Fields for `git log -z --format=…`, with a NUL after each field. The option `-z` writes the last one. */
export function logFields<const T extends Placeholders>(table: T): Fields<T> {
  const names = Object.keys(table)
  return {
    format: Object.values(table).join('%x00'),
    parse: (output) => rows(names, splitNul(output)),
  }
}

/** Fields for `git for-each-ref --format=…`, which has no `-z`: a NUL after each field and a line end after each ref. */
export function refFields<const T extends Placeholders>(table: T): Fields<T> {
  const names = Object.keys(table)
  return {
    format: Object.values(table)
      .map((placeholder) => `${placeholder}%00`)
      .join(''),
    parse: (output) => {
      const tokens = splitNul(output)
      if (tokens.at(-1) === '\n') tokens.pop()
      // The first field of each ref but the first begins with the line end of the previous ref.
      const isFirst = (index: number) => index > 0 && index % names.length === 0
      return rows(
        names,
        tokens.map((token, index) => (isFirst(index) ? token.slice(1) : token)),
      )
    },
  }
}

function rows<T extends Placeholders>(names: readonly string[], tokens: readonly string[]): Row<T>[] {
  if (tokens.length % names.length !== 0) throw new RangeError('The output has an incomplete record.')
  const result: Row<T>[] = []
  for (let start = 0; start < tokens.length; start += names.length) {
    const entries = names.map((name, offset) => [name, tokens[start + offset]])
    result.push(Object.fromEntries(entries) as Row<T>)
  }
  return result
}

/** Splits NUL-terminated output; bytes that are not UTF-8 become U+FFFD. */
export function splitNul(output: Buffer): string[] {
  if (output.length === 0) return []
  const tokens = output.toString('utf8').split('\0')
  if (tokens.at(-1) === '') tokens.pop()
  return tokens
}

/** Splits a stream of bytes into records that end with NUL (or `terminator`). Yields the complete records of each chunk. */
export async function* nulBatches(source: AsyncIterable<Buffer>, terminator = 0): AsyncGenerator<Buffer[]> {
  let rest: Buffer[] = []
  for await (const chunk of source) {
    const batch: Buffer[] = []
    let start = 0
    for (let end = chunk.indexOf(terminator); end !== -1; end = chunk.indexOf(terminator, start)) {
      batch.push(
        rest.length === 0 ? chunk.subarray(start, end) : Buffer.concat([...rest, chunk.subarray(start, end)]),
      )
      rest = []
      start = end + 1
    }
    if (start < chunk.length) rest.push(chunk.subarray(start))
    if (batch.length > 0) yield batch
  }
  if (rest.length > 0) yield [Buffer.concat(rest)]
}

const ESCAPES: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  t: '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  '"': '"',
  '\\': '\\',
}

/**
 * Removes git's quoting from a path, for output without `-z`: `"a\tb\303\244"`. Input and output are bytes as latin1.
 */
export function unquotePath(text: string): string {
  if (!text.startsWith('"')) return text
  return text
    .slice(1, -1)
    .replace(/\\([0-7]{3}|.)/g, (_, code: string) =>
      code.length === 3 ? String.fromCharCode(Number.parseInt(code, 8)) : (ESCAPES[code] ?? code),
    )
}
