const BLOCK = 512
const MAX_OCTAL_SIZE = 8 * 1024 ** 3

/** The metadata of a file in a tar archive. */
export interface TarEntry {
  readonly name: string
  readonly size: number
  readonly mode: number
  /** Seconds since 1970. */
  readonly mtime: number
  readonly kind?: 'file' | 'folder'
}

/** The header of an entry. A name or size that does not fit into the old format is in an additional header before it. */
export function tarHeader(entry: TarEntry): Buffer {
  const plainName = Buffer.byteLength(entry.name) <= 100 && /^[\x20-\x7e]+$/.test(entry.name)
  if (plainName && entry.size < MAX_OCTAL_SIZE)
    return block(entry, entry.name, entry.kind === 'folder' ? '5' : '0')
  const records = Buffer.from(
    (plainName ? '' : record('path', entry.name)) +
      (entry.size < MAX_OCTAL_SIZE ? '' : record('size', String(entry.size))),
  )
  const extended = { ...entry, size: records.length }
  const shortName = plainName ? entry.name : 'long-name'
  const type = entry.kind === 'folder' ? '5' : '0'
  return Buffer.concat([
    block(extended, 'PaxHeader', 'x'),
    records,
    tarPadding(records.length),
    block(entry.size < MAX_OCTAL_SIZE ? entry : { ...entry, size: 0 }, shortName, type),
  ])
}

/** The zeros that fill the last block of a file. */
export function tarPadding(size: number): Buffer {
  return Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK)
}

/** The end of an archive. */
export const TAR_END = Buffer.alloc(2 * BLOCK)

/** A pax record: a line that begins with its own length. */
function record(key: string, value: string): string {
  const contentLength = Buffer.byteLength(` ${key}=${value}\n`)
  let length = contentLength + String(contentLength).length
  if (String(length).length > String(contentLength).length) length = contentLength + String(length).length
  return `${length} ${key}=${value}\n`
}

function block(entry: TarEntry, name: string, type: string): Buffer {
  const header = Buffer.alloc(BLOCK)
  const octal = (value: number, at: number, length: number): void =>
    void header.write(value.toString(8).padStart(length - 1, '0'), at, 'latin1')
  header.write(name, 0, 100, 'latin1')
  octal(entry.mode & 0o777, 100, 8)
  octal(0, 108, 8)
  octal(0, 116, 8)
  octal(entry.size, 124, 12)
  octal(Math.max(0, Math.trunc(entry.mtime)), 136, 12)
  header.write('        ', 148, 'latin1')
  header.write(type, 156, 'latin1')
  header.write('ustar\x0000', 257, 'latin1')
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return header
}
