import type { Ctx } from '../../../ctx.ts'
import { readCommits, type Commit } from '../../../git/read/commits.ts'
import { Failure } from '../../../lib/fail.ts'
import { canRead, hasAbility } from '../../../policy/ability.ts'
import {
  fullPath,
  inRepository,
  project,
  projectAbilities,
  projectById,
  type Project,
} from '../../projects/index.ts'
import { usersById, type UserBasicRow } from '../../users/index.ts'
import { artifactsOf, type ArtifactRow } from '../artifacts/store.ts'
import type { PipelineWithPath } from '../pipelines/entity.ts'
import { byId, byIds as pipelinesByIds, createdByJobs, type PipelineRow } from '../pipelines/store.ts'
import { abilities } from '../policy.ts'
import { runnersByIds } from '../runners/contact.ts'
import type { RunnerRow } from '../runners/store.ts'
import type { JobRow } from './store.ts'

/** A job with all data that its entities show. */
export interface JobView {
  readonly row: JobRow
  readonly project: Project
  /** The full path of the project. */
  readonly path: string
  readonly user: UserBasicRow | null
  /** Null if the actor may not read code, or if the commit does not exist. */
  readonly commit: Commit | null
  readonly pipeline: PipelineRow
  readonly runner: RunnerRow | null
  readonly artifacts: readonly ArtifactRow[]
}

/** A trigger job with its downstream pipeline. It is null if there is none or the actor may not see it. */
export interface BridgeView extends JobView {
  readonly downstream: PipelineWithPath | null
}

/** Reads commits with one git command, by ID. The map is empty if the actor may not read code. */
export async function commitsOf(
  ctx: Ctx,
  owner: Project,
  shas: ReadonlySet<string>,
): Promise<Map<string, Commit>> {
  if (shas.size === 0 || !hasAbility(ctx, project, projectAbilities.read_code, owner)) return new Map()
  try {
    const commits = await inRepository(ctx, owner, (repo) => readCommits(repo, [...shas]))
    return new Map(commits.map((commit) => [commit.id, commit]))
  } catch (error) {
    // Jobs are shown even if the repository is missing or damaged.
    if (error instanceof Failure) return new Map()
    throw error
  }
}

/** Loads the data for the entities of jobs of one project, with a fixed number of queries and one git command. */
export async function showJobs(ctx: Ctx, owner: Project, rows: readonly JobRow[]): Promise<JobView[]> {
  if (rows.length === 0) return []
  const { db } = ctx
  const pipelines = pipelinesByIds(db, [...new Set(rows.map((row) => row.pipeline_id))])
  const shas = new Set([...pipelines.values()].map((pipeline) => pipeline.sha))
  const commits = await commitsOf(ctx, owner, shas)
  const ids = (pick: (row: JobRow) => number | null) => rows.flatMap((row) => pick(row) ?? [])
  const users = usersById(
    db,
    ids((row) => row.user_id),
  )
  const runners = runnersByIds(
    db,
    ids((row) => row.runner_id),
  )
  const artifacts = artifactsOf(
    db,
    rows.map((row) => row.id),
  )
  const path = fullPath(owner)
  return rows.flatMap((row) => {
    const pipeline = pipelines.get(row.pipeline_id)
    // The pipeline may have been deleted while git ran.
    if (!pipeline) return []
    return {
      row,
      project: owner,
      path,
      user: users.get(row.user_id ?? 0) ?? null,
      commit: commits.get(pipeline.sha) ?? null,
      pipeline,
      runner: runners.get(row.runner_id ?? 0) ?? null,
      artifacts: artifacts.get(row.id) ?? [],
    }
  })
}

/** Loads the data for the entities of one job. */
export async function showJob(ctx: Ctx, owner: Project, row: JobRow): Promise<JobView> {
  const [view] = await showJobs(ctx, owner, [row])
  return view!
}

/** Those of the projects in which the actor may see pipelines, by ID. */
function visibleProjects(ctx: Ctx, ids: ReadonlySet<number>): Map<number, Project> {
  const projects = [...ids].flatMap((id) => projectById(ctx.db, id) ?? [])
  const visible = projects.filter(
    (owner) => canRead(ctx, project, owner) && hasAbility(ctx, project, abilities.read_pipelines, owner),
  )
  return new Map(visible.map((owner) => [owner.id, owner]))
}

/** The pipelines that trigger jobs created, by the ID of the job. Those that the actor may not see are left out. */
export function downstreamOf(ctx: Ctx, jobIds: readonly number[]): Map<number, PipelineWithPath> {
  const rows = createdByJobs(ctx.db, jobIds)
  const owners = visibleProjects(ctx, new Set(rows.map((row) => row.project_id)))
  const pairs = rows.flatMap((row): [number, PipelineWithPath][] => {
    const owner = owners.get(row.project_id)
    return owner && row.upstream_job_id !== null
      ? [[row.upstream_job_id, { row, path: fullPath(owner) }]]
      : []
  })
  return new Map(pairs)
}

/** The upstream pipeline of a pipeline. Null if there is none or the actor may not see it. */
export function upstreamOf(ctx: Ctx, pipeline: PipelineRow): PipelineWithPath | null {
  const row = pipeline.upstream_pipeline_id === null ? undefined : byId(ctx.db, pipeline.upstream_pipeline_id)
  const owner = row && visibleProjects(ctx, new Set([row.project_id])).get(row.project_id)
  return row && owner ? { row, path: fullPath(owner) } : null
}

/** Loads the data for the entities of trigger jobs of one project. */
export async function showBridges(ctx: Ctx, owner: Project, rows: readonly JobRow[]): Promise<BridgeView[]> {
  const views = await showJobs(ctx, owner, rows)
  const downstream = downstreamOf(
    ctx,
    rows.map((row) => row.id),
  )
  return views.map((view) => ({ ...view, downstream: downstream.get(view.row.id) ?? null }))
}
