const TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value
})

const crc32 = (bytes: Uint8Array): number => {
  let crc = 0xffffffff
  for (const byte of bytes) crc = TABLE[(crc ^ byte) & 0xff]! ^ (crc >>> 8)
  return ~crc >>> 0
}

const numbers = (...fields: [size: 2 | 4, value: number][]): Uint8Array<ArrayBuffer> => {
  const view = new DataView(new ArrayBuffer(fields.reduce((sum, [size]) => sum + size, 0)))
  let at = 0
  for (const [size, value] of fields) {
    if (size === 2) view.setUint16(at, value, true)
    else view.setUint32(at, value, true)
    at += size
  }
  return new Uint8Array(view.buffer)
}

/** A zip archive of a few texts, not compressed. */
export const zipOf = (files: Record<string, string>): Blob => {
  const encoder = new TextEncoder()
  const parts: Uint8Array<ArrayBuffer>[] = []
  const directory: Uint8Array<ArrayBuffer>[] = []
  let offset = 0
  // 1 January 2024; archives have no zone.
  const date = ((2024 - 1980) << 9) | (1 << 5) | 1
  for (const [name, text] of Object.entries(files)) {
    const [path, content] = [encoder.encode(name), encoder.encode(text)]
    const about: [2 | 4, number][] = [
      [2, 20],
      [2, 0x0800],
      [2, 0],
      [2, 0],
      [2, date],
      [4, crc32(content)],
      [4, content.length],
      [4, content.length],
      [2, path.length],
      [2, 0],
    ]
    const head = numbers([4, 0x04034b50], ...about)
    directory.push(
      numbers(
        [4, 0x02014b50],
        [2, 0x031e],
        ...about,
        [2, 0],
        [2, 0],
        [2, 0],
        [4, (0o100644 << 16) >>> 0],
        [4, offset],
      ),
      path,
    )
    parts.push(head, path, content)
    offset += head.length + path.length + content.length
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0)
  const count = Object.keys(files).length
  const end = numbers([4, 0x06054b50], [2, 0], [2, 0], [2, count], [2, count], [4, size], [4, offset], [2, 0])
  return new Blob([...parts, ...directory, end], { type: 'application/zip' })
}

/** A text as gzip. */
export const gzipOf = (text: string): Promise<Blob> =>
  new Response(new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'))).blob()
