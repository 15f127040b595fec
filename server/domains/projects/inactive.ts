import type { Ctx } from '../../ctx.ts'
import { tx, type Database } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import { isoDate } from '../../lib/clock.ts'
import { settingsOf } from '../settings/index.ts'
import { requestDeletion } from './deletion.ts'
import { ProjectInactivityWarned } from './events.ts'
import * as store from './store.ts'

/** How many projects are warned, and how many deleted, on one day at most. */
const AT_ONCE = 500
const MEGABYTE = 1024 * 1024

/** Projects without activity since a day, larger than a size; `wanted` says which of them. */
function quiet(
  db: Database,
  filter: { since: string; bytes: number; wanted: string },
  ...more: readonly string[]
): number[] {
  const sql = `SELECT id FROM projects p WHERE last_activity_at < ? AND repository_size >= ?
    AND marked_for_deletion_at IS NULL AND ${filter.wanted} ORDER BY last_activity_at LIMIT ${AT_ONCE}`
  return db.many<{ id: number }>(sql, filter.since, filter.bytes, ...more).map((row) => row.id)
}

const WARNED = 'inactivity_warned_on IS NOT NULL AND inactivity_warned_on >= substr(last_activity_at, 1, 10)'

/**
 * Warns about projects in which nothing has happened for some months, and deletes those whose members heard of it long
 * enough ago (spec administration 1.2, `delete_inactive_projects`). Called once a day.
 */
export function handleInactive(ctx: Ctx): void {
  const settings = settingsOf(ctx)
  if (!settings.delete_inactive_projects) return
  const warnAfter = settings.inactive_projects_send_warning_email_after_months
  const deleteAfter = settings.inactive_projects_delete_after_months
  const bytes = settings.inactive_projects_min_size_mb * MEGABYTE
  const warned = monthsBefore(ctx, deleteAfter - warnAfter)
  const due = {
    since: monthsBefore(ctx, deleteAfter),
    bytes,
    wanted: `${WARNED} AND inactivity_warned_on <= ?`,
  }
  for (const id of quiet(ctx.db, due, warned)) {
    const project = store.byId(ctx.db, id)
    if (project) requestDeletion(ctx, project, {})
  }
  const late = { since: monthsBefore(ctx, warnAfter), bytes, wanted: `NOT (${WARNED})` }
  for (const id of quiet(ctx.db, late)) warn(ctx, id, deleteAfter - warnAfter)
}

function warn(ctx: Ctx, id: number, months: number): void {
  tx(ctx.db, () => {
    store.update(ctx.db, id, { inactivity_warned_on: isoDate(ctx.now) })
    const deletion_on = monthsBefore(ctx, -months)
    publish(ctx, ProjectInactivityWarned, { project_id: id, actor_id: null, deletion_on })
  })
}

/** The day so many months before today. */
function monthsBefore(ctx: Ctx, months: number): string {
  const sql = 'SELECT date(?, ?) AS day'
  return ctx.db.one<{ day: string }>(sql, ctx.now, `${-months} months`)!.day
}
