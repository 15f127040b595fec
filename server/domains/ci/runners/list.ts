import { sql, type RawBuilder, type SqlBool } from 'kysely'

import type { Ctx } from '../../../ctx.ts'
import { boundedCount, selectAll } from '../../../db/lists.ts'
import { withContact } from './contact.ts'
import { onlineSince, staleSince } from './status.ts'
import type { RunnerRow, RunnerType } from './store.ts'

type Condition = RawBuilder<SqlBool>

/** Words by which lists can be narrowed to runners of one status. The first two are of old clients. */
export type StatusFilter = 'active' | 'paused' | 'online' | 'offline' | 'never_contacted' | 'stale'

/** What a list is narrowed to. */
export interface RunnerFilter {
  readonly type?: RunnerType | undefined
  /** All but those of the instance. */
  readonly isSpecific?: boolean
  readonly status?: StatusFilter | undefined
  readonly paused?: boolean | undefined
  /** Tags that they all have. */
  readonly tag_list?: readonly string[] | undefined
  readonly version_prefix?: string | undefined
}

/** Runners of one status at a time (alias `r`). Silent ones are offline, also when they are stale by now. */
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
          sql<SqlBool>`NOT EXISTS (SELECT 1 FROM json_each(${JSON.stringify(tags)}) wanted
      WHERE wanted.value NOT IN (SELECT value FROM json_each(r.tag_list)))`,
        ]
      : []),
    ...(version ? [sql<SqlBool>`substr(r.version, 1, ${version.length}) = ${version}`] : []),
  ]
}

/** One page of the runners that a condition has (alias `r`), the newest first. */
export function listRunners(
  ctx: Ctx,
  among: Condition,
  filter: RunnerFilter,
  page: { readonly limit: number; readonly offset: number },
) {
  const { db, now } = ctx
  const from = sql`FROM runners r WHERE ${sql.join([among, ...conditionsOf(filter, now)], sql` AND `)}`
  const query = sql<RunnerRow>`SELECT r.* ${from} ORDER BY r.id DESC LIMIT ${page.limit} OFFSET ${page.offset}`
  const rows = selectAll(db, query).map((row) => withContact(db, row))
  return { rows, total: boundedCount(db, sql`SELECT r.id ${from}`) }
}

/** Runners (alias `r`) that work for a project: its own, and those of groups above it and of the instance where it lets them. */
export function runnersForProject(project: {
  readonly id: number
  readonly lineage: string
  readonly shared_runners_enabled: boolean
  readonly group_runners_enabled: boolean
}): Condition {
  const { id, lineage } = project
  const parts = [
    sql`SELECT runner_id FROM runner_projects WHERE project_id = ${id}`,
    ...(project.group_runners_enabled ? [ofGroups(lineage)] : []),
    ...(project.shared_runners_enabled ? [ofInstance] : []),
  ]
  return sql<SqlBool>`r.id IN (${sql.join(parts, sql` UNION ALL `)})`
}

/** Runners (alias `r`) that work for projects of a group: of it and the groups above, and of the instance where it lets them. */
export function runnersForGroup(group: {
  readonly lineage: string
  readonly shared_runners_setting: string
}): Condition {
  const parts = [ofGroups(group.lineage), ...(group.shared_runners_setting === 'enabled' ? [ofInstance] : [])]
  return sql<SqlBool>`r.id IN (${sql.join(parts, sql` UNION ALL `)})`
}

const ofInstance = sql`SELECT id FROM runners WHERE runner_type = 'instance_type'`

function ofGroups(lineage: string) {
  return sql`SELECT id FROM runners WHERE group_id IN (SELECT value FROM json_each(${lineage}))`
}
