import type { Ctx } from '../../../ctx.ts'
import { isoTime } from '../../../lib/clock.ts'
import type { FailedPipeline } from '../../../start-options.ts'
import type { Rows } from '../../../db/rows.ts'
import type { Commit } from '../../../git/read/commits.ts'
import { groupByPeriod, periodOf, type Period } from '../../../lib/periods.ts'
import { hasAbility } from '../../../policy/ability.ts'
import { fullPath, project, type Project } from '../../projects/index.ts'
import { usersById, type UserBasicRow } from '../../users/index.ts'
import type { JobRow } from '../jobs/store.ts'
import { commitsOf } from '../jobs/view.ts'
import type { PipelineRow } from '../pipelines/store.ts'
import * as store from './store.ts'
import { abilities } from '../policy.ts'
import type { StageCount, ChartPipeline, OverviewFilter } from './store.ts'

/** A pipeline in the window's list. */
export interface OverviewRow {
  readonly id: number
  readonly row: PipelineRow
  readonly user: UserBasicRow | null
  readonly commit: Commit | null
  /** The IID of the pipeline's merge request. */
  readonly request: number | null
  readonly counts: readonly StageCount[]
}

/** Loads a page of the window's list of pipelines with few queries and one git command. */
export async function pipelineOverviews(
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
    store.countByStage(
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
  /** The median duration in seconds of the pipelines that succeeded or failed. */
  readonly median_duration: number | null
  readonly longest_duration: number | null
}

/** Counts the pipelines of the last days by day or week, for the charts. Days without any are left out. */
export function countByPeriod(
  ctx: Ctx,
  project: Project,
  { days, by, ref }: { readonly days: number; readonly by: Period['by']; readonly ref?: string | undefined },
): Rows<PipelineCounts> {
  const { from } = periodOf(ctx.now, days, by)
  const groups = groupByPeriod(store.pipelinesSince(ctx.db, { project_id: project.id, from, ref }), by)
  const rows = [...groups].map(([day, pipelines]) => ({ day, ...countsOf(pipelines) }))
  return { rows, total: rows.length }
}

function countsOf(pipelines: readonly ChartPipeline[]): Omit<PipelineCounts, 'day'> {
  const countWith = (expected: string) => pipelines.filter(({ status }) => status === expected).length
  const finished = pipelines.filter(({ status }) => status === 'success' || status === 'failed')
  const durations = finished.flatMap(({ duration }) => duration ?? []).sort((a, b) => a - b)
  return {
    total: pipelines.length,
    success: countWith('success'),
    failed: countWith('failed'),
    canceled: countWith('canceled'),
    median_duration: durations[Math.floor((durations.length - 1) / 2)] ?? null,
    longest_duration: durations.at(-1) ?? null,
  }
}

/** The newest pipeline of a commit or a default branch. */
export interface StateRow {
  /** The query: `<project ID>` or `<project ID>:<commit SHA>`. */
  readonly of: string
  readonly row: PipelineRow
  readonly counts: readonly StageCount[]
}

/** Finds the newest pipelines of commits and default branches, as far as the actor may see them. */
export function pipelineStates(ctx: Ctx, queries: readonly string[]): StateRow[] {
  const parsed = queries.flatMap((of) => {
    const [, id, sha] = /^(\d+)(?::([0-9a-f]{40}|[0-9a-f]{64}))?$/.exec(of) ?? []
    return id === undefined ? [] : [{ of, id, sha }]
  })
  const matches = [...Map.groupBy(parsed, (query) => query.id)].flatMap(([id, ofProject]) => {
    const owner = project.load(ctx, id)
    if (!owner || !hasAbility(ctx, project, abilities.read_pipelines, owner)) return []
    const shas = ofProject.flatMap(({ sha }) => sha ?? [])
    const byCommit = new Map(store.newestOfCommits(ctx.db, owner.id, shas).map((row) => [row.sha, row]))
    return ofProject.flatMap(({ of, sha }) => {
      const branch = owner.default_branch ?? ''
      const row = sha === undefined ? store.newestOfRef(ctx.db, owner.id, branch) : byCommit.get(sha)
      return row ? [{ of, row }] : []
    })
  })
  const ids = matches.map(({ row }) => row.id)
  const counts = Map.groupBy(store.countByStage(ctx.db, ids), (count) => count.pipeline_id)
  return matches.map((match) => ({ ...match, counts: counts.get(match.row.id) ?? [] }))
}

/** A running job on the first page of the window. */
export interface RunningJob {
  readonly id: number
  readonly row: JobRow
  readonly path: string
  readonly project: Project
  readonly runner: string | null
  /** The usual duration of the job in seconds. */
  readonly usually: number | null
}

/** The maximum number of running jobs on the first page. */
const MAX_JOBS = 6

/** The names of all running jobs with their projects, for the confirmation before the instance stops. */
export function runningJobNames(ctx: Ctx): string[] {
  return store.runningJobs(ctx.db).map((row) => {
    const owner = project.load(ctx, String(row.project_id))
    return owner ? `${row.name} in ${fullPath(owner)}` : row.name
  })
}

const DAY_MS = 24 * 60 * 60 * 1000
const MAX_FAILED = 5

/**
 * The pipelines that failed within the last day and are the newest of their branch or tag, for the icon of the
 * application.
 */
export function failedPipelines(ctx: Ctx): FailedPipeline[] {
  const since = isoTime(Date.parse(ctx.now) - DAY_MS)
  return store.failedSince(ctx.db, since, MAX_FAILED).flatMap((row) => {
    const owner = project.load(ctx, String(row.project_id))
    if (!owner) return []
    const path = fullPath(owner)
    return [{ name: `${path} (${row.ref})`, page: `/${path}/-/pipelines/${row.id}` }]
  })
}

/** The running jobs of the actor's projects, and those that the actor started, the newest first. */
export function runningJobs(ctx: Ctx): RunningJob[] {
  const rows = store.runningJobs(ctx.db)
  const owners = new Map<number, Project | undefined>()
  const ownerOf = (id: number) => {
    if (!owners.has(id)) owners.set(id, project.load(ctx, String(id)))
    return owners.get(id)
  }
  const result: RunningJob[] = []
  for (const row of rows) {
    if (result.length === MAX_JOBS) break
    const owner = ownerOf(row.project_id)
    if (!owner || !hasAbility(ctx, project, abilities.read_jobs, owner)) continue
    if (row.user_id !== ctx.actor.id && project.roleOf(ctx, owner) === 0 && !ctx.actor.is_admin) continue
    const usually = store.usualDurations(ctx.db, owner.id, row.pipeline_id).get(row.name) ?? null
    result.push({ id: row.id, row, path: fullPath(owner), project: owner, runner: row.runner_name, usually })
  }
  return result
}
