/** A line of git's protocol: its length in four hex digits, then the text. */
export function packet(text: string): string {
  return (Buffer.byteLength(text) + 4).toString(16).padStart(4, '0') + text
}

const FLUSH = '0000'
const DELIMITER = '0001'

/** The lines of one request without their line ends. Undefined if the request is incomplete, or bytes follow it. */
export function linesOf(request: Buffer): string[] | undefined {
  const lines: string[] = []
  for (let at = 0; at + 4 <= request.length;) {
    const head = request.toString('latin1', at, at + 4)
    if (head === FLUSH) return at + 4 === request.length ? lines : undefined
    const length = head === DELIMITER ? 4 : /^[0-9a-f]{4}$/.test(head) ? parseInt(head, 16) : 0
    if (length < 4 || at + length > request.length) return undefined
    if (length > 4) lines.push(request.toString('utf8', at + 4, at + length).replace(/\n$/, ''))
    at += length
  }
  return undefined
}
