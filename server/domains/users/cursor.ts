import { Failure } from '../../lib/fail.ts'
import type { UserPlace } from './list.ts'
import type { UserRow } from './store.ts'

/** The opaque word for a place in a list (spec core 8.6): order column, id and direction as Base64 JSON. */
export function makeCursor(row: UserRow, order_by: string): string {
  const value = String(row[order_by as keyof UserRow])
  return Buffer.from(JSON.stringify({ [order_by]: value, id: String(row.id), _kd: 'n' })).toString(
    'base64url',
  )
}

/** Reads a cursor back. Throws 400 for one that this order did not make. */
export function readCursor(cursor: string, order_by: string): UserPlace {
  try {
    const parts = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as Record<string, unknown>
    const [value, id] = [parts[order_by], parts['id']]
    if (typeof value === 'string' && typeof id === 'string' && /^\d{1,15}$/.test(id))
      return { value, id: Number(id) }
  } catch {
    // Not a cursor of ours; the sentence below says so.
  }
  throw new Failure('parameter', 'cursor is invalid')
}
