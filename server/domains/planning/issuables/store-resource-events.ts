import { sql } from 'kysely'
import type { Ctx } from '../../../ctx.ts'
import { boundedCount } from '../../../db/lists.ts'
import type { Rows } from '../../../db/rows.ts'
import { labelsByIds } from '../labels/store.ts'
import { milestonesByIds } from '../milestones/store.ts'
import { usersById } from '../../users/index.ts'
import type { ResourceEventView } from './entity.ts'
import { tablesOf, type Issuable } from './issuable.ts'

/** The kinds of changes with stored events. */
export type Resource = 'label' | 'milestone' | 'state'

interface EventRow {
  readonly id: number
  readonly user_id: number | null
  readonly created_at: string
  readonly action?: string
  readonly state?: string
  readonly label_id?: number | null
  readonly milestone_id?: number | null
  readonly source_commit?: string | null
  readonly source_merge_request_id?: number | null
}

const tableOf = (resource: Resource): string => `resource_${resource}_events`

/** Lists the events of a record, oldest first. */
export function findEvents(
  ctx: Ctx,
  issuable: Issuable,
  resource: Resource,
  page: { readonly limit: number; readonly offset: number },
): Rows<ResourceEventView> {
  const { key } = tablesOf(issuable.kind)
  const rows = ctx.db.many<EventRow>(
    `SELECT * FROM ${tableOf(resource)} WHERE ${key} = ? ORDER BY id LIMIT ? OFFSET ?`,
    issuable.id,
    page.limit,
    page.offset,
  )
  const from = sql`SELECT 1 FROM ${sql.ref(tableOf(resource))} WHERE ${sql.ref(key)} = ${issuable.id}`
  return { rows: viewsOf(ctx, issuable, rows), total: boundedCount(ctx.db, from) }
}

/** Returns an event of a record by its ID. */
export function eventOf(
  ctx: Ctx,
  issuable: Issuable,
  resource: Resource,
  id: number,
): ResourceEventView | undefined {
  const { key } = tablesOf(issuable.kind)
  const rows = ctx.db.many<EventRow>(
    `SELECT * FROM ${tableOf(resource)} WHERE ${key} = ? AND id = ?`,
    issuable.id,
    id,
  )
  return viewsOf(ctx, issuable, rows)[0]
}

function viewsOf(ctx: Ctx, issuable: Issuable, rows: readonly EventRow[]): ResourceEventView[] {
  const ids = (column: 'user_id' | 'label_id' | 'milestone_id' | 'source_merge_request_id') => [
    ...new Set(rows.flatMap((row) => row[column] ?? [])),
  ]
  const users = usersById(ctx.db, ids('user_id'))
  const labels = labelsByIds(ctx.db, ids('label_id'))
  const milestones = milestonesByIds(ctx.db, ids('milestone_id'))
  const requests = numbersOf(ctx, issuable.project_id, ids('source_merge_request_id'))
  return rows.map(({ user_id, label_id, milestone_id, source_merge_request_id, ...row }) => ({
    ...row,
    resource_type: issuable.kind,
    resource_id: issuable.id,
    user: users.get(user_id ?? 0) ?? null,
    label: labels.get(label_id ?? 0) ?? null,
    milestone: milestones.get(milestone_id ?? 0) ?? null,
    source_merge_request_iid: requests.get(source_merge_request_id ?? 0) ?? null,
  }))
}

/** Returns the IIDs of merge requests of this project, by ID. Merge requests of other projects are left out. */
function numbersOf(ctx: Ctx, projectId: number, ids: readonly number[]): Map<number, number> {
  const rows = ctx.db.many<{ id: number; iid: number }>(
    'SELECT id, iid FROM merge_requests WHERE project_id = ? AND id IN (SELECT value FROM json_each(?))',
    projectId,
    JSON.stringify(ids),
  )
  return new Map(rows.map((row) => [row.id, row.iid]))
}
