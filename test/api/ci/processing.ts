import { onBehalfOf } from '../../../server/domains/planning/index.ts'
import { compileConfig } from '../../../server/domains/ci_config/compile/compile.ts'
import { createPipeline } from '../../../server/domains/ci/pipelines/creation/service.ts'
import type { PipelineRequest } from '../../../server/domains/ci/pipelines/creation/request.ts'
import { jobChooser } from '../../../server/domains/ci/pipelines/creation/selecting.ts'
import { nextIidEstimate } from '../../../server/domains/ci/pipelines/creation/store.ts'
import { requireValid, writeFull } from '../../../server/domains/ci/pipelines/creation/write.ts'
import type { JobRow } from '../../../server/domains/ci/jobs/store.ts'
import { finishJob, startJob } from '../../../server/domains/ci/processing/run.ts'
import * as jobs from '../../../server/domains/ci/jobs/store.ts'
import * as pipelines from '../../../server/domains/ci/pipelines/store.ts'
import { findProject, type Project } from '../../../server/domains/projects/index.ts'
import type { Ctx } from '../../../server/ctx.ts'
import type { World } from '../../support/world.ts'

/** Creates pipelines from configurations, and starts and ends their jobs without a runner. */
export interface PipelinesWithoutGit {
  readonly project: Project
  readonly runner: { id: number }
  /** As root. */
  ctx(): Ctx
  /** Creates a pipeline of `main` without reading the repository. */
  make(config: string): Promise<number>
  /** Creates a pipeline of `main` with access to the repository, for configurations with included files. */
  create(config: string): Promise<number>
  /** The status of the newest jobs by name, in the order of the stages. */
  states(pipeline: number): Record<string, string>
  status(pipeline: number): string
  job(pipeline: number, name: string): JobRow
  start(pipeline: number, name: string): JobRow
  /** Starts a job unless it is running, and ends it. */
  end(pipeline: number, name: string, status?: 'success' | 'failed', exit_code?: number): JobRow
  /** Adds a commit to `main`. */
  commit(): void
}

const request: PipelineRequest = { source: 'api', ref: 'main' }

/** Creates a pipeline like `createPipeline`, but without git. */
async function quickly(ctx: Ctx, project: Project, sha: string, config: string): Promise<number> {
  const compiled = await compileConfig(config, {} as never, { origin: null, isForPipeline: true })
  if (!compiled.built) throw new Error(compiled.errors.map(({ message }) => message).join(', '))
  const target = { ref: 'main', sha, kind: 'branch', isProtected: false } as const
  const context = { request, target, stored: [], predefined: [] } as never
  const choose = await jobChooser(ctx, project, compiled.built, context)
  const iid = nextIidEstimate(ctx.db, project.id)
  const chosen = {
    iid,
    choice: requireValid(choose(iid)),
    choose,
    auto_cancel: compiled.built.workflow.auto_cancel,
  }
  return writeFull(ctx, project, { request, target, committed_at: null }, chosen).id
}

export async function pipelinesWithoutGit(
  w: World,
  params: Record<string, unknown> = {},
): Promise<PipelinesWithoutGit> {
  const made = await w.make.project(params)
  let commits = 0
  const ctx = (): Ctx => onBehalfOf(w.ctx(), 1)!
  const load = (): Project => findProject(ctx(), String(made.id)) as Project
  const project = load()
  const runner = w.ctx().db.one<{ id: number }>(
    `INSERT INTO runners (runner_type, token_digest, short_token, created_at, updated_at)
     VALUES ('instance_type', ?, 'abc', ?, ?) RETURNING id`,
    `digest-${made.id}`,
    ctx().now,
    ctx().now,
  )!
  const result: PipelinesWithoutGit = {
    project,
    runner,
    ctx,
    commit: () => void commits++,
    make: (config) => quickly(ctx(), project, String(commits).padStart(40, 'a'), config),
    create: async (config) => (await createPipeline(ctx(), load(), { ...request, config })).id,
    states(pipeline) {
      const rows = ctx().db.many<{ name: string; status: string }>(
        'SELECT name, status FROM ci_jobs WHERE pipeline_id = ? AND retried = 0 ORDER BY stage_index, name',
        pipeline,
      )
      return Object.fromEntries(rows.map(({ name, status }) => [name, status]))
    },
    status: (pipeline) => pipelines.byId(ctx().db, pipeline)!.status,
    job(pipeline, name) {
      const found = ctx().db.one<{ id: number }>(
        'SELECT id FROM ci_jobs WHERE pipeline_id = ? AND name = ? AND retried = 0',
        pipeline,
        name,
      )
      return jobs.byId(ctx().db, found!.id)!
    },
    start(pipeline, name) {
      const { id } = result.job(pipeline, name)
      const taking = { runner_id: runner.id, runner_system_id: null, token_digest: `t-${id}`, timeout: 3600 }
      const started = startJob(ctx(), id, taking)
      if (!started) throw new Error(`${name} is not pending`)
      return started
    },
    end(pipeline, name, status = 'success', exit_code) {
      const now = result.job(pipeline, name)
      const job = now.status === 'pending' ? result.start(pipeline, name) : now
      const failure_reason = status === 'failed' ? 'script_failure' : undefined
      return finishJob(ctx(), job, { status, failure_reason, exit_code })
    },
  }
  return result
}
