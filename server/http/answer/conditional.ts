import { hash } from 'node:crypto'

/** The weak ETag of an answer, a hash of its bytes. */
export function etagOf(body: string | Buffer): string {
  return `W/"${hash('sha1', body, 'hex')}"`
}

/** True when `If-None-Match` contains the tag (weak comparison, RFC 9110 13.1.2). */
export function matches(header: string | undefined, etag: string): boolean {
  if (!header) return false
  if (header.trim() === '*') return true
  const bare = etag.replace(/^W\//, '')
  return header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === bare)
}

/** True when a resource changed after the date of `If-Unmodified-Since`; an invalid date is ignored. */
export function changedSince(header: string | undefined, updatedAt: string): boolean {
  if (!header) return false
  const since = Date.parse(header)
  // HTTP dates have whole seconds: a change within the same second is not "after".
  return !Number.isNaN(since) && Math.floor(Date.parse(updatedAt) / 1000) > Math.floor(since / 1000)
}
