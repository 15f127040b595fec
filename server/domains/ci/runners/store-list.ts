import { sql, type RawBuilder, type SqlBool } from 'kysely'

import type { Ctx } from '../../../ctx.ts'
import type { Database } from '../../../db/database.ts'
import { boundedCount, selectAll } from '../../../db/lists.ts'
import { seesAll } from '../../../policy/actor.ts'
import { MAINTAINER, REPORTER, type Level } from '../../../policy/levels.ts'
import { groupsOfMember, projectsOfMember, visibleGroups, visibleProjects } from '../../members/index.ts'
import type { Rows } from '../../../db/rows.ts'
import type { JobRow } from '../jobs/store.ts'
import { onlineSince, staleSince } from './status.ts'
import type { RunnerRow, RunnerType } from './store.ts'

type Condition = RawBuilder<SqlBool>

/** The values of the status filter. `active` and `paused` are deprecated. */
export type StatusFilter = 'active' | 'paused' | 'online' | 'offline' | 'never_contacted' | 'stale'

/** The filters of a list of runners. */
export interface RunnerFilter {
  readonly type?: RunnerType | undefined
  /** Selects all runners except instance runners. */
  readonly isSpecific?: boolean
  readonly status?: StatusFilter | undefined
  readonly paused?: boolean | undefined
  /** Selects runners with all of these tags. */
  readonly tag_list?: readonly string[] | undefined
  readonly version_prefix?: string | undefined
}

/** The condition for runners (alias `r`) with a status at a time. Stale runners also match `offline`. */
function ofStatus(status: StatusFilter, now: string): Condition {
  const online = onlineSince(now)
  const stale = staleSince(now)
  const conditions: Readonly<Record<StatusFilter, Condition>> = {
    active: sql<SqlBool>`r.paused = 0`,
    paused: sql<SqlBool>`r.paused = 1`,
    online: sql<SqlBool>`r.contacted_at > ${online}`,
    offline: sql<SqlBool>`r.contacted_at <= ${online}`,
    never_contacted: sql<SqlBool>`r.contacted_at IS NULL`,
    stale: sql<SqlBool>`max(r.created_at, ifnull(r.contacted_at, '')) < ${stale}`,
  }
  return conditions[status]
}

function conditionsOf(filter: RunnerFilter, now: string): Condition[] {
  const { type, status, paused, tag_list: tags, version_prefix: version } = filter
  return [
    ...(type ? [sql<SqlBool>`r.runner_type = ${type}`] : []),
    ...(filter.isSpecific ? [sql<SqlBool>`r.runner_type <> 'instance_type'`] : []),
    ...(status ? [ofStatus(status, now)] : []),
    ...(paused === undefined ? [] : [sql<SqlBool>`r.paused = ${Number(paused)}`]),
    ...(tags?.length
      ? [
          sql<SqlBool>`NOT EXISTS (SELECT 1 FROM json_each(${JSON.stringify(tags)}) tag
      WHERE tag.value NOT IN (SELECT value FROM json_each(r.tag_list)))`,
        ]
      : []),
    ...(version ? [sql<SqlBool>`substr(r.version, 1, ${version.length}) = ${version}`] : []),
  ]
}

interface Page {
  readonly limit: number
  readonly offset: number
}

/** A page of the runners that meet a condition (alias `r`), the newest first. `now` is the time for their status. */
export function list(
  db: Database,
  now: string,
  { among, filter }: { readonly among: Condition; readonly filter: RunnerFilter },
  page: Page,
): Rows<RunnerRow> {
  const from = sql`FROM runners r WHERE ${sql.join([among, ...conditionsOf(filter, now)], sql` AND `)}`
  const query = sql<RunnerRow>`SELECT r.* ${from} ORDER BY r.id DESC LIMIT ${page.limit} OFFSET ${page.offset}`
  return { rows: selectAll(db, query), total: boundedCount(db, sql`SELECT r.id ${from}`) }
}

/** The condition for all runners. */
export const anyRunner: Condition = sql<SqlBool>`1`

/**
 * The condition for runners (alias `r`) of a project: its own runners, and those of its groups and of the instance if
 * they are enabled.
 */
export function runnersForProject(project: {
  readonly id: number
  readonly lineage: string
  readonly shared_runners_enabled: boolean
  readonly group_runners_enabled: boolean
}): Condition {
  const { id, lineage } = project
  const queries = [
    sql`SELECT runner_id FROM runner_projects WHERE project_id = ${id}`,
    ...(project.group_runners_enabled ? [ofGroups(lineage)] : []),
    ...(project.shared_runners_enabled ? [ofInstance] : []),
  ]
  return sql<SqlBool>`r.id IN (${sql.join(queries, sql` UNION ALL `)})`
}

/**
 * The condition for runners (alias `r`) of a group: those of the group and its ancestors, and those of the instance if
 * they are enabled.
 */
export function runnersForGroup(group: {
  readonly lineage: string
  readonly shared_runners_setting: string
}): Condition {
  const isInstanceEnabled = group.shared_runners_setting === 'enabled'
  const queries = [ofGroups(group.lineage), ...(isInstanceEnabled ? [ofInstance] : [])]
  return sql<SqlBool>`r.id IN (${sql.join(queries, sql` UNION ALL `)})`
}

const ofInstance = sql`SELECT id FROM runners WHERE runner_type = 'instance_type'`

function ofGroups(lineage: string) {
  return sql`SELECT id FROM runners WHERE group_id IN (SELECT value FROM json_each(${lineage}))`
}

type Viewer = Pick<Ctx, 'actor' | 'now'>

/**
 * The condition for runners (alias `r`) of projects that the viewer maintains, and of groups in which the viewer has at
 * least the role `groupRole` (spec ci 3.1). Instance runners are never included.
 */
export function runnersOf(viewer: Viewer, groupRole: Level): Condition {
  return sql<SqlBool>`r.id IN (
    SELECT rp.runner_id FROM runner_projects rp CROSS JOIN projects p ON p.id = rp.project_id
      WHERE ${projectsOfMember(viewer, MAINTAINER, 'check')}
    UNION ALL SELECT g.id FROM runners g WHERE g.group_id IN (
      SELECT n.id FROM namespaces n WHERE ${groupsOfMember(viewer, groupRole)}))`
}

/** Whether a runner meets the condition of `runnersOf`. */
export function isRunnerOf(db: Database, viewer: Viewer, runnerId: number, groupRole: Level): boolean {
  const condition = runnersOf(viewer, groupRole)
  return selectAll(db, sql`SELECT 1 FROM runners r WHERE r.id = ${runnerId} AND ${condition}`).length > 0
}

/** The IDs of the projects of a runner that the viewer may see. */
export function visibleProjectIds(db: Database, viewer: Viewer, runnerId: number): number[] {
  const query = sql<{ id: number }>`SELECT p.id FROM projects p
    WHERE p.id IN (SELECT project_id FROM runner_projects WHERE runner_id = ${runnerId}) AND ${visibleProjects(viewer, 'check')}`
  return selectAll(db, query).map(({ id }) => id)
}

/** Whether the viewer may see a group. */
export function isVisibleGroup(db: Database, viewer: Viewer, groupId: number): boolean {
  const query = sql`SELECT n.id FROM namespaces n WHERE n.id = ${groupId} AND ${visibleGroups(viewer)}`
  return selectAll(db, query).length > 0
}

/** The filters and the page of a list of a runner's jobs. */
export interface JobFilter extends Page {
  readonly status?: string | undefined
  readonly sort: 'asc' | 'desc'
}

/** A page of the jobs of a runner, in projects in which the viewer has at least the Reporter role. */
export function jobsOf(db: Database, viewer: Viewer, runnerId: number, filter: JobFilter): Rows<JobRow> {
  const status = filter.status ? sql`AND j.status = ${filter.status}` : sql``
  const visible = seesAll(viewer.actor)
    ? sql``
    : sql`AND j.project_id IN (SELECT p.id FROM projects p WHERE p.builds_access_level <> 'disabled'
        AND ${projectsOfMember(viewer, REPORTER)})`
  const from = sql`FROM ci_jobs j INDEXED BY ci_jobs_runner WHERE j.runner_id = ${runnerId} ${status} ${visible}`
  const order = filter.sort === 'asc' ? sql`ASC` : sql`DESC`
  const page = sql<JobRow>`SELECT j.* ${from} ORDER BY j.id ${order} LIMIT ${filter.limit} OFFSET ${filter.offset}`
  return { rows: selectAll(db, page), total: boundedCount(db, sql`SELECT j.id ${from}`) }
}
