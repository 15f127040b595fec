import { onBehalfOf } from '../../../server/domains/planning/index.ts'
import { createPipeline } from '../../../server/domains/ci/pipelines/creation/service.ts'
import type { PipelineRequest } from '../../../server/domains/ci/pipelines/creation/request.ts'
import type { JobRow } from '../../../server/domains/ci/jobs/store.ts'
import { finishJob, startJob } from '../../../server/domains/ci/processing/run.ts'
import * as jobs from '../../../server/domains/ci/jobs/store.ts'
import { findProject, type Project } from '../../../server/domains/projects/index.ts'
import type { Ctx } from '../../../server/ctx.ts'
import type { World } from '../../support/world.ts'
import { fill } from '../repository/fill.ts'

/** A project with a real repository; pipelines are created from configurations and run without a runner. */
export interface PipelinesWithGit {
  readonly project: Project
  /** As root. */
  ctx(): Ctx
  make(config: string, order?: Partial<PipelineRequest>): Promise<number>
  job(pipeline: number, name: string): JobRow
  start(pipeline: number, name: string): JobRow
  /** Starts a job unless it is running, and ends it. */
  end(pipeline: number, name: string, status?: 'success' | 'failed'): JobRow
  commit(): string
}

export async function pipelinesWithGit(
  w: World,
  params: Record<string, unknown> = {},
): Promise<PipelinesWithGit> {
  const made = await w.make.project(params)
  let commits = 0
  const commit = (): string =>
    fill(w, made, [{ branch: 'main', files: { 'README.md': `version ${++commits}` } }]).at(-1)!
  commit()
  const ctx = (): Ctx => onBehalfOf(w.ctx(), 1)!
  const project = findProject(ctx(), String(made.id)) as Project
  const runner = w.ctx().db.one<{ id: number }>(
    `INSERT INTO runners (runner_type, token_digest, short_token, created_at, updated_at)
     VALUES ('instance_type', ?, 'abc', ?, ?) RETURNING id`,
    `digest-${made.id}`,
    ctx().now,
    ctx().now,
  )!
  const result: PipelinesWithGit = {
    project,
    ctx,
    commit,
    async make(config, order = {}) {
      const row = await createPipeline(ctx(), project, { source: 'api', ref: 'main', config, ...order })
      return row.id
    },
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
    end(pipeline, name, status = 'success') {
      const now = result.job(pipeline, name)
      const job = now.status === 'pending' ? result.start(pipeline, name) : now
      const failure_reason = status === 'failed' ? 'script_failure' : undefined
      return finishJob(ctx(), job, { status, failure_reason })
    },
  }
  return result
}
