import { Failure } from '../../../lib/fail.ts'

/** The opaque word for a place in a list of jobs (spec core 8.6). */
export function makeCursor(id: number): string {
  return Buffer.from(JSON.stringify({ id: String(id), _kd: 'n' })).toString('base64url')
}

/** Reads a cursor back. Throws 400 for one that was not made here. */
export function readCursor(cursor: string): number {
  try {
    const parts = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as Record<string, unknown>
    const id = parts['id']
    if (typeof id === 'string' && /^\d{1,15}$/.test(id)) return Number(id)
  } catch {
    // Not a cursor of ours; the sentence below says so.
  }
  throw new Failure('parameter', 'cursor is invalid')
}
