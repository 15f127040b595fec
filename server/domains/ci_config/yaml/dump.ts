import { Float, isHash, isList, type Hash, type List, type Value } from '../language/values.ts'
import { plainScalar } from './parse.ts'

/** A configuration as YAML: leading `---`, lists at the level of their key, texts quoted only where they must be. */
export function dumpYaml(hash: Hash): string {
  const lines: string[] = []
  if (hash.size === 0) return '--- {}\n'
  writeHash(lines, hash, '')
  return `---\n${lines.join('\n')}\n`
}

function writeHash(lines: string[], hash: Hash, indent: string): void {
  for (const [key, value] of hash) {
    const name = `${indent}${scalar(key, indent)}:`
    if (isHash(value) && value.size > 0) {
      lines.push(name)
      writeHash(lines, value, `${indent}  `)
    } else if (isList(value) && value.length > 0) {
      lines.push(name)
      writeList(lines, value, indent)
    } else {
      const text = inline(value, indent)
      lines.push(text === '' ? name : `${name} ${text}`)
    }
  }
}

function writeList(lines: string[], list: List, indent: string): void {
  for (const item of list) {
    const start = lines.length
    if (isHash(item) && item.size > 0) writeHash(lines, item, `${indent}  `)
    else if (isList(item) && item.length > 0) writeList(lines, item, `${indent}  `)
    else {
      const text = inline(item, indent)
      lines.push(text === '' ? `${indent}-` : `${indent}- ${text}`)
      continue
    }
    // The first line of the item follows the dash on the same line.
    lines[start] = `${indent}- ${lines[start]!.slice(indent.length + 2)}`
  }
}

function inline(value: Value, indent: string): string {
  if (value === null) return ''
  if (typeof value === 'string') return scalar(value, indent)
  if (isList(value)) return '[]'
  if (isHash(value)) return '{}'
  if (value instanceof Float && !Number.isFinite(value.value))
    return Number.isNaN(value.value) ? '.nan' : value.value > 0 ? '.inf' : '-.inf'
  return String(value)
}

const PLAIN = /^[A-Za-z0-9_./$(\\+=~^;<][^\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff]*$/

function scalar(text: string, indent: string): string {
  if (isPlain(text)) return text
  if (isBlock(text)) return block(text, indent)
  // eslint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff]/.test(text)) return JSON.stringify(text)
  return `'${text.replaceAll("'", "''")}'`
}

/** True for a text that YAML reads back unchanged without quotes. */
function isPlain(text: string): boolean {
  return (
    PLAIN.test(text) &&
    !text.endsWith(' ') &&
    !text.endsWith(':') &&
    !text.includes(': ') &&
    !text.includes(' #') &&
    !/^(?:---|\.\.\.)/.test(text) &&
    !/^(?:y|n)$/i.test(text) &&
    text !== '=' &&
    plainScalar(text) === text &&
    !/^\d{4}-\d\d?-\d\d?/.test(text)
  )
}

function isBlock(text: string): boolean {
  // eslint-disable-next-line no-control-regex
  return text.includes('\n') && !/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff]/.test(text)
}

function block(text: string, indent: string): string {
  const body = text.replace(/\n+$/, '')
  const ending = text.length - body.length
  if (body === '') return JSON.stringify(text)
  const hint = /^[ \n]/.test(body) ? '2' : ''
  const mark = ending === 0 ? '-' : ending === 1 ? '' : '+'
  const lines = body.split('\n').map((line) => (line === '' ? '' : `${indent}  ${line}`))
  return [`|${hint}${mark}`, ...lines, ...Array.from({ length: Math.max(0, ending - 1) }, () => '')].join(
    '\n',
  )
}
