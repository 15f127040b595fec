import type { Ctx } from '../../../ctx.ts'
import { isoTime } from '../../../lib/clock.ts'
import type { FailedPipeline } from '../../../start-options.ts'
import type { Rows } from '../../../db/rows.ts'
import type { Commit } from '../../../git/read/commits.ts'
import { groupByPeriod, periodOf, type Period } from '../../../lib/periods.ts'
import { isAble } from '../../../policy/ability.ts'
import { fullPath, project, type Project } from '../../projects/index.ts'
import { usersById, type UserBasicRow } from '../../users/index.ts'
import type { JobRow } from '../jobs/store.ts'
import { commitsOf } from '../jobs/view.ts'
import type { PipelineRow } from '../pipelines/store.ts'
import * as store from './store.ts'
import { abilities } from '../policy.ts'
import type { Counted, CountedPipeline, OverviewFilter } from './store.ts'

/** A pipeline as a line in the window's list. */
export interface OverviewRow {
  readonly id: number
  readonly row: PipelineRow
  readonly user: UserBasicRow | null
  readonly commit: Commit | null
  /** Number of its merge request. */
  readonly request: number | null
  readonly counts: readonly Counted[]
}

/** Pipelines of a project with what a line shows; a few queries and one git command for a page. */
export async function overview(
  ctx: Ctx,
  project: Project,
  filter: Omit<OverviewFilter, 'project_id'>,
  paging: { readonly limit: number; readonly offset: number },
): Promise<Rows<OverviewRow>> {
  const { rows, total } = store.list(ctx.db, { ...filter, project_id: project.id }, paging)
  const users = usersById(
    ctx.db,
    rows.flatMap((row) => row.user_id ?? []),
  )
  const commits = await commitsOf(ctx, project, new Set(rows.map((row) => row.sha)))
  const requests = store.requestIids(
    ctx.db,
    rows.flatMap((row) => row.merge_request_id ?? []),
  )
  const counts = Map.groupBy(
    store.counts(
      ctx.db,
      rows.map((row) => row.id),
    ),
    (count) => count.pipeline_id,
  )
  const views = rows.map((row) => ({
    id: row.id,
    row,
    user: users.get(row.user_id ?? 0) ?? null,
    commit: commits.get(row.sha) ?? null,
    request: requests.get(row.merge_request_id ?? 0) ?? null,
    counts: counts.get(row.id) ?? [],
  }))
  return { rows: views, total }
}

/** The pipelines that started on one day or in one week. */
export interface PipelineCounts {
  /** The day, or the Monday of the week (UTC). */
  readonly day: string
  readonly total: number
  readonly success: number
  readonly failed: number
  readonly canceled: number
  /** Seconds; of pipelines that succeeded or failed. */
  readonly median_duration: number | null
  readonly longest_duration: number | null
}

/** Counts the pipelines of the last days by day or week, for the charts. Days without any are left out. */
export function chart(
  ctx: Ctx,
  project: Project,
  { days, by, ref }: { readonly days: number; readonly by: Period['by']; readonly ref?: string | undefined },
): Rows<PipelineCounts> {
  const { from } = periodOf(ctx.now, days, by)
  const groups = groupByPeriod(store.pipelinesSince(ctx.db, { project_id: project.id, from, ref }), by)
  const rows = [...groups].map(([day, pipelines]) => ({ day, ...countsOf(pipelines) }))
  return { rows, total: rows.length }
}

function countsOf(pipelines: readonly CountedPipeline[]): Omit<PipelineCounts, 'day'> {
  const count = (wanted: string) => pipelines.filter(({ status }) => status === wanted).length
  const ended = pipelines.filter(({ status }) => status === 'success' || status === 'failed')
  const durations = ended.flatMap(({ duration }) => duration ?? []).sort((a, b) => a - b)
  return {
    total: pipelines.length,
    success: count('success'),
    failed: count('failed'),
    canceled: count('canceled'),
    median_duration: durations[Math.floor((durations.length - 1) / 2)] ?? null,
    longest_duration: durations.at(-1) ?? null,
  }
}

/** The newest pipeline that matches the query. */
export interface StateRow {
  /** The query. */
  readonly of: string
  readonly row: PipelineRow
  readonly counts: readonly Counted[]
}

/** The newest pipelines of commits (`project:sha`) and default branches (`project`) that the caller may see. */
export function pipelineStates(ctx: Ctx, wanted: readonly string[]): StateRow[] {
  const requested = wanted.flatMap((of) => {
    const [, id, sha] = /^(\d+)(?::([0-9a-f]{40}|[0-9a-f]{64}))?$/.exec(of) ?? []
    return id === undefined ? [] : [{ of, id, sha }]
  })
  const matches = [...Map.groupBy(requested, (entry) => entry.id)].flatMap(([id, all]) => {
    const owner = project.load(ctx, id)
    if (!owner || !isAble(ctx, project, abilities.read_pipelines, owner)) return []
    const shas = all.flatMap(({ sha }) => sha ?? [])
    const byCommit = new Map(store.newestOfCommits(ctx.db, owner.id, shas).map((row) => [row.sha, row]))
    return all.flatMap(({ of, sha }) => {
      const branch = owner.default_branch ?? ''
      const row = sha === undefined ? store.newestOfRef(ctx.db, owner.id, branch) : byCommit.get(sha)
      return row ? [{ of, row }] : []
    })
  })
  const ids = matches.map(({ row }) => row.id)
  const counts = Map.groupBy(store.counts(ctx.db, ids), (count) => count.pipeline_id)
  return matches.map((match) => ({ ...match, counts: counts.get(match.row.id) ?? [] }))
}

/** A running job as the first page of the window shows it. */
export interface RunningJob {
  readonly id: number
  readonly row: JobRow
  readonly path: string
  readonly project: Project
  readonly runner: string | null
  /** Its usual duration in seconds. */
  readonly usually: number | null
}

const SHOWN = 6

/** Running jobs of all projects as texts, for the question before the instance stops. */
export function runningJobNames(ctx: Ctx): string[] {
  return store.running(ctx.db).map((row) => {
    const owner = project.load(ctx, String(row.project_id))
    return owner ? `${row.name} in ${fullPath(owner)}` : row.name
  })
}

const DAY_MS = 24 * 60 * 60 * 1000
const FAILED_SHOWN = 5

/** The newest pipelines of their branches and tags that failed within the last day, for the icon of the application. */
export function failedPipelines(ctx: Ctx): FailedPipeline[] {
  const since = isoTime(Date.parse(ctx.now) - DAY_MS)
  return store.failedSince(ctx.db, since, FAILED_SHOWN).flatMap((row) => {
    const owner = project.load(ctx, String(row.project_id))
    if (!owner) return []
    const path = fullPath(owner)
    return [{ name: `${path} (${row.ref})`, page: `/${path}/-/pipelines/${row.id}` }]
  })
}

/** Running jobs of the caller's projects, and those that the caller started; the newest first. */
export function runningJobs(ctx: Ctx): RunningJob[] {
  const rows = store.running(ctx.db)
  const owners = new Map<number, Project | undefined>()
  const ownerOf = (id: number) => {
    if (!owners.has(id)) owners.set(id, project.load(ctx, String(id)))
    return owners.get(id)
  }
  const result: RunningJob[] = []
  for (const row of rows) {
    if (result.length === SHOWN) break
    const owner = ownerOf(row.project_id)
    if (!owner || !isAble(ctx, project, abilities.read_jobs, owner)) continue
    if (row.user_id !== ctx.actor.id && project.roleOf(ctx, owner) === 0 && !ctx.actor.is_admin) continue
    const usually = store.usualDurations(ctx.db, owner.id, row.pipeline_id).get(row.name) ?? null
    result.push({ id: row.id, row, path: fullPath(owner), project: owner, runner: row.runner_name, usually })
  }
  return result
}
