/** A value of a world. Keys with an undefined value are left out. */
export type Yaml =
  | string
  | number
  | boolean
  | null
  | readonly Yaml[]
  | { readonly [key: string]: Yaml | undefined }

/** The maximum length of a list or map that is written in one line. */
const MAX_LINE_LENGTH = 110
const KEYWORDS = /^(?:null|true|false|yes|no|on|off|y|n)$/i
/** Text that needs no quotes inside of braces and brackets. */
const PLAIN_IN_FLOW = /^[\p{L}_](?:[\p{L}\p{N}_ ./@()+-]*[\p{L}\p{N}_/@()+])?$/u
/** Text that needs no quotes outside of braces and brackets. */
const PLAIN_ALONE = /^[\p{L}_](?:[\p{L}\p{N}_ ./@()+,;'!?=%*-]*[\p{L}\p{N}_/@()+.!?'])?$/u
const TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d{3})?Z)?$/
/** Characters that a reader of worlds refuses or changes unless they are escaped. */
// oxlint-disable-next-line no-control-regex
const ESCAPED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffd\ufffe\uffff]|\p{Cs}/u
const ALL_ESCAPED = new RegExp(ESCAPED.source, 'gu')

/**
 * Writes a value as lines of YAML after `head`, which is a dash or a key. The YAML library can only print whole documents.
 * This writer prints entries one by one, and escapes every character that a world cannot contain.
 */
export function linesOf(head: string, value: Yaml, indent: string): string[] {
  const lines: string[] = []
  put(lines, head, value, indent)
  return lines
}

/** The first lines of an entry of a list, to which more keys are added. */
export function beginningOf(value: { readonly [key: string]: Yaml | undefined }, indent: string): string[] {
  const lines: string[] = []
  putMap(lines, '-', value, indent)
  return lines
}

/** `key:`, in quotes if necessary. */
export function keyOf(name: string): string {
  return `${inLine(name)}:`
}

function put(lines: string[], head: string, value: Yaml, indent: string): void {
  if (typeof value === 'string') {
    const isLong = value.includes('\n') && isLiteral(value)
    if (!isLong) lines.push(`${indent}${head} ${inLine(value, PLAIN_ALONE)}`)
    else putLiteral(lines, `${indent}${head}`, value, indent)
    return
  }
  const flow = flowOf(value, MAX_LINE_LENGTH - indent.length - head.length)
  if (flow !== undefined) return void lines.push(`${indent}${head} ${flow}`)
  if (!Array.isArray(value)) return putMap(lines, head, value as object, indent)
  lines.push(`${indent}${head}`)
  for (const item of value as readonly Yaml[]) put(lines, '-', item, `${indent}  `)
}

function putMap(lines: string[], head: string, value: object, indent: string): void {
  const innerIndent = `${indent}  `
  const start = lines.length
  if (head !== '-') lines.push(`${indent}${head}`)
  for (const [key, item] of entriesOf(value)) put(lines, keyOf(key), item, innerIndent)
  if (head === '-') lines[start] = `${indent}- ${lines[start]!.slice(innerIndent.length)}`
}

function entriesOf(value: object): [string, Yaml][] {
  return Object.entries(value as Record<string, Yaml | undefined>).filter(
    (entry): entry is [string, Yaml] => entry[1] !== undefined,
  )
}

/** A value in one line; undefined if it is too long or has several lines. */
function flowOf(value: Yaml, width: number): string | undefined {
  if (width < 0) return undefined
  if (typeof value === 'string')
    return value.length > width || value.includes('\n') ? undefined : inLine(value)
  if (typeof value !== 'object' || value === null) return String(value)
  const parts: string[] = []
  let remaining = width
  const isList = Array.isArray(value)
  const entries: [string, Yaml][] = isList
    ? (value as readonly Yaml[]).map((item) => ['', item])
    : entriesOf(value)
  for (const [key, item] of entries) {
    const flow = flowOf(item, remaining)
    if (flow === undefined) return undefined
    const part = isList ? flow : `${keyOf(key)} ${flow}`
    remaining -= part.length + 2
    if (remaining < 0) return undefined
    parts.push(part)
  }
  if (isList) return `[${parts.join(', ')}]`
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`
}

function inLine(text: string, plain = PLAIN_IN_FLOW): string {
  if ((plain.test(text) && !KEYWORDS.test(text)) || TIME.test(text)) return text
  const quoted = JSON.stringify(text)
  return ESCAPED.test(quoted) ? quoted.replace(ALL_ESCAPED, escapeChar) : quoted
}

function escapeChar(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** True if a literal block can contain a text unchanged. */
function isLiteral(text: string): boolean {
  return /^[^\s]/.test(text) && !text.endsWith('\n\n') && !/[ \t]$/.test(text) && !ESCAPED.test(text)
}

function putLiteral(lines: string[], head: string, text: string, indent: string): void {
  const hasFinalNewline = text.endsWith('\n')
  lines.push(`${head} |${hasFinalNewline ? '' : '-'}`)
  const rows = text.split('\n')
  if (hasFinalNewline) rows.pop()
  for (const row of rows) lines.push(row === '' ? '' : `${indent}  ${row}`)
}

/** The number of values that a reader of the world counts. */
export function countOf(value: Yaml): number {
  if (typeof value !== 'object' || value === null) return 1
  const items = Array.isArray(value) ? (value as readonly Yaml[]) : entriesOf(value).map(([, item]) => item)
  return items.reduce<number>((sum, item) => sum + countOf(item), 1)
}
