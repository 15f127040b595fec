/** The pointer to an LFS object. */
export interface Pointer {
  /** SHA-256 of the content, 64 hex digits. */
  readonly oid: string
  /** Bytes. */
  readonly size: number
}

/** The maximum length of a pointer in bytes. */
export const MAX_POINTER_BYTES = 1024
/** The minimum length of a pointer in bytes: the line of the version, a digest and one digit. */
export const MIN_POINTER_BYTES = 120

const OID = /^[0-9a-f]{64}$/
const VERSION = /^version https:\/\/(?:git-lfs\.github\.com|hawser\.github\.com)\/spec\/v1\n/
const LINES = /\noid sha256:([0-9a-f]{64})\nsize (0|[1-9]\d{0,15})\n?$/

/** True for a valid id of an LFS object. */
export function isOid(value: unknown): value is string {
  return typeof value === 'string' && OID.test(value)
}

/** The LFS pointer in a blob's content; undefined for other files. */
export function pointerOf(content: Uint8Array | string): Pointer | undefined {
  if (content.length > MAX_POINTER_BYTES || content.length < MIN_POINTER_BYTES) return undefined
  const text = typeof content === 'string' ? content : Buffer.from(content).toString('utf8')
  if (!VERSION.test(text)) return undefined
  const [, oid, size] = LINES.exec(text) ?? []
  return oid === undefined ? undefined : { oid, size: Number(size) }
}

/** The parts of an LFS object's path below the LFS folder: `ab/cd/<the other 60 digits>`. */
export function objectParts(oid: string): [string, string, string] {
  if (!isOid(oid)) throw new Error('This is not the digest of a large file.')
  return [oid.slice(0, 2), oid.slice(2, 4), oid.slice(4)]
}
