/** Types that a browser may show, because they cannot contain a script. */
const SHOWN: Readonly<Record<string, string>> = {
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
  // Can contain a script, which the sandbox policy stops.
  svg: 'image/svg+xml',
}

/** A policy under which the answer can run and load nothing and be part of no other page. */
export const SANDBOX = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'"

/** How bytes of a repository are sent to a browser: as a known harmless type, as plain text, or as a download. */
export function contentType(path: string, head: Buffer): { type: string; inline: boolean } {
  const extension = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? ''
  const type = SHOWN[extension]
  if (type !== undefined) return { type, inline: true }
  // Git's own rule for binary files: a null byte near the beginning.
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
