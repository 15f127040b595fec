import type { Entry } from './entries.ts'

const BLOCK = 512
const encoder = new TextEncoder()

const header = (name: Uint8Array, size: number, type: '0' | 'x'): Uint8Array<ArrayBuffer> => {
  const block = new Uint8Array(BLOCK)
  const put = (text: string, at: number) => block.set(encoder.encode(text), at)
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0')
  block.set(name.subarray(0, 100), 0)
  put(`${octal(0o644, 7)}\0`, 100)
  put(`${octal(0, 7)}\0${octal(0, 7)}\0`, 108)
  put(`${octal(Math.min(size, 0o77777777777), 11)}\0${octal(0, 11)}\0`, 124)
  put('        ', 148)
  put(type, 156)
  put('ustar\u000000', 257)
  const sum = block.reduce((total, byte) => total + byte, 0)
  put(`${octal(sum, 6)}\0 `, 148)
  return block
}

const padding = (size: number) => new Uint8Array((BLOCK - (size % BLOCK)) % BLOCK)

/** A record of an extended header: its length counts itself. */
const record = (key: string, value: string): string => {
  const rest = encoder.encode(` ${key}=${value}\n`).length
  let length = rest + String(rest).length
  if (rest + String(length).length !== length) length = rest + String(length).length
  return `${length} ${key}=${value}\n`
}

/** A tar of files. They are read when it is sent, not before, so it may be as large as it likes. */
export const tarOf = (entries: readonly Entry[]): Blob => {
  const parts: BlobPart[] = []
  for (const { path, file } of entries) {
    const name = encoder.encode(path)
    const isLarge = file.size > 0o77777777777
    if (name.length > 100 || isLarge) {
      const text = record('path', path) + (isLarge ? record('size', String(file.size)) : '')
      const content = encoder.encode(text)
      parts.push(header(encoder.encode('extended'), content.length, 'x'), content, padding(content.length))
    }
    parts.push(header(name, file.size, '0'), file, padding(file.size))
  }
  parts.push(new Uint8Array(2 * BLOCK))
  return new Blob(parts, { type: 'application/x-tar' })
}
