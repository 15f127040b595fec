import { sql } from 'kysely'
import { jsonList, type Database } from '../../../db/database.ts'
import { selectAll } from '../../../db/lists.ts'
import { projectsWithFeature, type visibleProjects } from '../../members/index.ts'
import type { PlanningOwner } from '../types-owner.ts'
import { projectsOf } from './store-visibility.ts'
import { visibleIssues } from '../issuables/list/store-where.ts'
import type { Ctx } from '../../../ctx.ts'
import { Failure } from '../../../lib/fail.ts'
import type { LabelRow } from './label.ts'

export type Viewer = Parameters<typeof visibleProjects>[0]

interface LabelCount {
  readonly label_id: number
  readonly state: string
  readonly count: number
}

export function issues(
  db: Database,
  viewer: Viewer,
  owner: PlanningOwner,
  ids: readonly number[],
): LabelCount[] {
  return selectAll(
    db,
    sql<LabelCount>`SELECT x.label_id, i.state, count(*) AS count FROM issue_labels x JOIN issues i ON i.id = x.issue_id
      WHERE x.label_id IN (SELECT value FROM json_each(${jsonList(ids)}))
        AND +i.project_id IN (SELECT p.id FROM projects p WHERE ${projectsOf(owner)} AND ${projectsWithFeature(viewer, 'issues')})
        AND ${visibleIssues(viewer)} GROUP BY x.label_id, i.state`,
  )
}

export function requests(
  db: Database,
  viewer: Viewer,
  owner: PlanningOwner,
  ids: readonly number[],
): LabelCount[] {
  const projects = sql`SELECT p.id FROM projects p WHERE ${projectsOf(owner)} AND ${projectsWithFeature(viewer, 'merge_requests')}`
  return selectAll(
    db,
    sql<LabelCount>`SELECT x.label_id, i.state, count(*) AS count FROM merge_request_labels x
      JOIN merge_requests i ON i.id = x.merge_request_id
      WHERE x.label_id IN (SELECT value FROM json_each(${jsonList(ids)})) AND +i.state = 'opened'
        AND +i.project_id IN (${projects}) GROUP BY x.label_id`,
  )
}

/**
 * Returns the project in which a user subscribes to a label. Null for the labels of the owner itself; a project that
 * inherits a group label has subscriptions of its own.
 */
function subscriptionProject(owner: PlanningOwner, label: LabelRow): number | null {
  return owner.kind === 'project' && label.group_id !== null ? owner.id : null
}

/** Returns the IDs of the labels that the actor has subscribed to in a project or group. */
export function subscribedIn(ctx: Ctx, owner: PlanningOwner, labels: readonly LabelRow[]): Set<number> {
  if (ctx.actor.kind !== 'user') return new Set()
  const rows = ctx.db.many<{ id: number; project_id: number | null }>(
    `SELECT subscribable_id AS id, project_id FROM subscriptions
     WHERE subscribable_type = 'Label' AND subscribable_id IN (SELECT value FROM json_each(?))
       AND user_id = ? AND subscribed = 1`,
    jsonList(labels.map((label) => label.id)),
    ctx.actor.id,
  )
  const keys = new Set(rows.map((row) => `${row.id}:${row.project_id}`))
  return new Set(
    labels
      .filter((label) => keys.has(`${label.id}:${subscriptionProject(owner, label)}`))
      .map((label) => label.id),
  )
}

/** Subscribes or unsubscribes the actor. Throws 304 if nothing changes. */
export function setSubscribed(ctx: Ctx, owner: PlanningOwner, label: LabelRow, subscribed: boolean): void {
  if (subscribedIn(ctx, owner, [label]).has(label.id) === subscribed) throw new Failure('not_modified')
  ctx.db.exec(
    `INSERT INTO subscriptions (user_id, subscribable_type, subscribable_id, project_id, subscribed, created_at, updated_at)
     VALUES (?, 'Label', ?, ?, ?, ?, ?)
     ON CONFLICT (subscribable_type, subscribable_id, user_id, ifnull(project_id, 0))
     DO UPDATE SET subscribed = excluded.subscribed, updated_at = excluded.updated_at`,
    ctx.actor.id,
    label.id,
    subscriptionProject(owner, label),
    subscribed,
    ctx.now,
    ctx.now,
  )
}
