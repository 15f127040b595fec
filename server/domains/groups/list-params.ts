import type { Ctx } from '../../ctx.ts'
import { MAX_OFFSET } from '../../http/paging.ts'
import { bool, int, list, text } from '../../http/params.ts'
import { page, type Paging, type Rows } from '../../http/returns.ts'
import { Failure } from '../../lib/fail.ts'
import { attributeParams } from '../users/index.ts'
import { Group } from './entity.ts'
import { findGroups, type GroupListRequest } from './listing.ts'
import { groupViews, type GroupView, type ViewOptions } from './views.ts'

/** Filters of every group list (spec rest-api, Groups). */
export const listParams = {
  search: text({ max: 255 }).optional().describe('Part of the name or path'),
  owned: bool().optional().describe('Only groups the caller owns'),
  min_access_level: int({ min: 0, max: 50 })
    .optional()
    .describe('Only groups where the caller has at least this level'),
  all_available: bool().optional().describe('Also groups the caller can see without belonging to them'),
  skip_groups: list(int()).optional().describe('Not these groups'),
  statistics: bool().optional().describe('Add the sizes (administrators)'),
  ...attributeParams,
}

const orders = ['name', 'path', 'id'] as const

/** A page of groups of the whole instance. */
export const groupPage = page(Group, { order_by: [...orders, 'similarity'], sort: 'asc', keyset: ['name'] })
/** A page of groups below another. */
export const subgroupPage = page(Group, { order_by: orders, sort: 'asc' })

export const cursorParam = {
  cursor: text({ max: 2000 }).optional().describe('Where the next page begins, from the `Link` header'),
}

/** Finds a page of groups and shows it. */
export function showGroups(
  ctx: Ctx,
  request: GroupListRequest & ViewOptions & { cursor?: string | undefined },
  paging: Paging,
): Rows<GroupView> {
  const { cursor, statistics, with_custom_attributes, ranges, ...rest } = request
  if (ctx.actor.kind === 'anonymous' && !paging.keyset) refuseDeepOffset(paging)
  if (paging.keyset) refuseUnlessOffered(ctx, paging)
  const after = paging.keyset && cursor ? readCursor(cursor) : undefined
  const found = findGroups(ctx, { ...rest, after }, paging)
  const more = paging.keyset && found.rows.length > paging.per_page
  const rows = more ? found.rows.slice(0, paging.per_page) : found.rows
  const last = rows.at(-1)
  const next = more && last ? { cursor: makeCursor(last) } : undefined
  return {
    rows: groupViews(ctx, rows, { statistics, with_custom_attributes, ranges }),
    total: found.total,
    next,
  }
}

/** Keyset paging of groups is there for callers who are not signed in, by name upwards (spec core 8.6). */
function refuseUnlessOffered(ctx: Ctx, paging: Paging): void {
  if (ctx.actor.kind === 'anonymous' && paging.sort === 'asc') return
  throw new Failure('not_allowed', undefined, {
    body: { error: 'Keyset pagination is not yet available for this type of request' },
  })
}

function refuseDeepOffset(paging: Paging): void {
  if (paging.page * paging.per_page <= MAX_OFFSET) return
  const error = `Offset pagination has a maximum allowed offset of ${MAX_OFFSET} for requests that return objects of type Group. Remaining records can be retrieved using keyset pagination.`
  throw new Failure('not_allowed', undefined, { body: { error } })
}

function makeCursor(row: { id: number; name: string }): string {
  return Buffer.from(JSON.stringify({ name: row.name, id: String(row.id), _kd: 'n' })).toString('base64url')
}

function readCursor(cursor: string): { name: string; id: number } {
  try {
    const { name, id } = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as {
      name: unknown
      id: unknown
    }
    if (typeof name === 'string' && typeof id === 'string' && /^\d{1,15}$/.test(id))
      return { name, id: Number(id) }
  } catch {
    // Not a cursor of ours; the sentence below says so.
  }
  throw new Failure('parameter', 'cursor is invalid')
}
