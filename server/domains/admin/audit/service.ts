import type { Ctx } from '../../../ctx.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import * as store from './store.ts'
import type { AuditFilter, AuditRow } from './store.ts'

/** Paging parameters of a list of audit events. */
export interface AuditPaging {
  readonly limit: number
  readonly offset: number
  readonly per_page: number
  readonly keyset: boolean
}

/** One page, newest first; with keyset paging it has the cursor of the next page. Throws 400 for an invalid cursor. */
export function listEvents(
  ctx: Pick<Ctx, 'db'>,
  { cursor, ...filter }: AuditFilter & { cursor?: string | undefined },
  paging: AuditPaging,
) {
  if (!paging.keyset) return store.list(ctx.db, filter, { ...paging, counted: true })
  const before = cursor === undefined ? {} : { before_id: readCursor(cursor) }
  const { rows } = store.list(ctx.db, { ...filter, ...before }, { ...paging, counted: false })
  const shown = rows.slice(0, paging.per_page)
  const last = shown.at(-1)
  const isLast = rows.length === shown.length || !last
  return { rows: shown, next: isLast ? undefined : { cursor: makeCursor(last.id) } }
}

/** One event, optionally of one entity only. Throws `404 Audit Event Not Found`. */
export function getEvent(ctx: Pick<Ctx, 'db'>, id: number, of: AuditFilter): AuditRow {
  const row = store.byId(ctx.db, id, of)
  if (!row) throw notFound('Audit Event')
  return row
}

/** The opaque cursor of a position in the list (spec core 8.6). */
function makeCursor(id: number): string {
  return Buffer.from(JSON.stringify({ id: String(id), _kd: 'n' })).toString('base64url')
}

function readCursor(cursor: string): number {
  try {
    const { id } = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as { id?: unknown }
    if (typeof id === 'string' && /^\d{1,15}$/.test(id)) return Number(id)
  } catch {
    // Not a cursor of this instance: the error below reports it.
  }
  throw fail('parameter', 'cursor is invalid')
}
