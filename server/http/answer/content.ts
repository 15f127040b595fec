/** Types that a browser may show, by file extension, because they cannot run a script. */
const INLINE_TYPES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  bmp: 'image/bmp',
  ico: 'image/x-icon',
  mp3: 'audio/mpeg',
  ogg: 'audio/ogg',
  wav: 'audio/wav',
  flac: 'audio/flac',
  mp4: 'video/mp4',
  webm: 'video/webm',
  mov: 'video/quicktime',
  pdf: 'application/pdf',
  // An SVG can contain a script, which the sandbox policy stops.
  svg: 'image/svg+xml',
}

/** A content security policy that forbids an answer to run scripts, to load anything, and to be framed by a page. */
export const SANDBOX = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'"

/** The media type of a file for browsers: a known harmless type, plain text, or a download. `head` is its first bytes. */
export function contentType(path: string, head: Buffer): { type: string; inline: boolean } {
  const extension = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? ''
  const type = INLINE_TYPES[extension]
  if (type !== undefined) return { type, inline: true }
  // Git treats a file as binary if there is a null byte near its beginning.
  const isText = !head.subarray(0, 8000).includes(0)
  return isText
    ? { type: 'text/plain; charset=utf-8', inline: true }
    : { type: 'application/octet-stream', inline: false }
}

/** A Content-Disposition header; names beyond ASCII are encoded by RFC 5987. */
export function disposition(kind: 'inline' | 'attachment', name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\]/g, '_')
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encoded}`
}
