import type { Ctx } from '../../../../ctx.ts'
import { findCommit } from '../../../../git/commits.ts'
import { resolveCommit } from '../../../../git/revisions.ts'
import { RateWindow } from '../../../../lib/rate-window.ts'
import { inRepository, repoOf, type Project } from '../../../projects/index.ts'
import { settingsOf } from '../../../settings/index.ts'
import { ensurePipelineRef } from '../refs.ts'
import type { PipelineRow } from '../store.ts'
import { knownFor } from './circumstances.ts'
import { compileIn } from './compiling.ts'
import { heedsSkip, keepsBroken, type PipelineOrder } from './order.ts'
import { excessOf, type Excess } from './plan.ts'
import { PipelineRefused, refused } from './refused.ts'
import { checkProject, checkTarget } from './rights.ts'
import { chooser } from './selecting.ts'
import { isSkipped } from './skip.ts'
import { configOf } from './source.ts'
import { probableIid } from './store.ts'
import { targetOf, type PipelineTarget } from './target.ts'
import { askValidation } from './validation.ts'
import { checked, writeEmpty, writeFull, type Draft } from './write.ts'

const PERIOD = 60

const TOO_MANY = 'Too many pipelines created in the last minute. Try again later.'

const TOO_MANY_DOWNSTREAM = 'Too many downstream pipelines triggered in the last minute. Try again later.'

/**
 * Counts a pipeline that the actor makes of a commit. Throws PipelineRefused beyond what the settings allow a minute (spec
 * administration 1.2, `pipeline_limit_per_project_user_sha`; 0 for any number).
 */
function countPipeline(ctx: Ctx, projectId: number, sha: string): void {
  count(ctx, `${projectId} ${sha}`, settingsOf(ctx).pipeline_limit_per_project_user_sha, TOO_MANY)
}

/** The same for what jobs of other pipelines set off (`downstream_pipeline_trigger_limit_per_project_user_sha`). */
function countDownstream(ctx: Ctx, projectId: number, sha: string): void {
  const max = settingsOf(ctx).downstream_pipeline_trigger_limit_per_project_user_sha
  count(ctx, `downstream ${projectId} ${sha}`, max, TOO_MANY_DOWNSTREAM)
}

function count(ctx: Ctx, what: string, max: number, text: string): void {
  if (max === 0) return
  const window = ctx.db.instance('ci.pipeline_limit', () => new RateWindow())
  const key = `${ctx.actor.id ?? 'instance'} ${what}`
  if (!window.take(key, { max, per: PERIOD }, Date.parse(ctx.now)).allowed) throw refused(text)
}

export type { GivenVariable, MergeRequestOfOrder, PipelineOrder, PipelineSource } from './order.ts'
export { PipelineRefused } from './refused.ts'

/**
 * Makes a pipeline in the name of the actor (spec ci 2.6). Throws PipelineRefused, 400 `{"message":{"base":[…]}}`, and
 * stores nothing; only where nobody is there to be told, as after a push, a broken configuration is stored as a failed
 * pipeline, and `[ci skip]` as a skipped one.
 */
export async function createPipeline(ctx: Ctx, project: Project, order: PipelineOrder): Promise<PipelineRow> {
  checkProject(ctx, project, order)
  return inRepository(ctx, project, async () => {
    const target = await findTarget(ctx, project, order)
    checkTarget(ctx, project, target, order.merge_request)
    if (order.upstream) countDownstream(ctx, project.id, target.sha)
    else countPipeline(ctx, project.id, target.sha)
    const commit = await findCommit(repoOf(ctx, project), target.sha)
    if (!commit) throw refused('Commit not found')
    const text = order.config ?? (await configOf(ctx, project, target.sha, order.config_path))
    if (text === null) throw refused('Missing CI config file')
    const draft: Draft = { order, target, committed_at: new Date(commit.committed_date).toISOString() }
    if (heedsSkip(order.source) && isSkipped(commit.message, order.push_options)) {
      return writeEmpty(ctx, project, draft, { status: 'skipped' })
    }
    try {
      return await withJobs(ctx, project, draft, text)
    } catch (error) {
      const isKept =
        error instanceof PipelineRefused && (error.because === 'config' || error.because === 'validation')
      if (!isKept) throw error
      if (!keepsBroken(order.source)) throw error
      return writeBroken(ctx, project, draft, error)
    }
  })
}

/** The same for what happens by itself: null where the pipeline is refused, for nobody is there to be told. */
export async function tryPipeline(
  ctx: Ctx,
  project: Project,
  order: PipelineOrder,
): Promise<PipelineRow | null> {
  try {
    return await createPipeline(ctx, project, order)
  } catch (error) {
    if (!(error instanceof PipelineRefused)) throw error
    const { id } = project
    ctx.log.debug({ project_id: id, ref: order.ref, source: order.source, why: error.texts }, 'no pipeline')
    return null
  }
}

async function findTarget(ctx: Ctx, project: Project, order: PipelineOrder): Promise<PipelineTarget> {
  const named = project.empty_repo ? null : await targetOf(ctx, project, order.ref)
  if (named === null) throw refused('Reference not found')
  if (named === 'ambiguous') throw refused('Ref is ambiguous')
  // Whoever asks by that name alone tells nothing of the merge request.
  if (named.kind === 'merge_request' && !order.merge_request) throw refused('Reference not found')
  // In a fork, where the ref of the merge request is not, its pipeline is made on the branch.
  const found = order.merge_request ? { ...named, kind: 'merge_request' as const, isProtected: false } : named
  if (order.sha === undefined) return found
  const sha = await resolveCommit(repoOf(ctx, project), order.sha)
  if (sha === null) throw refused('Commit not found')
  return { ...found, sha }
}

async function withJobs(ctx: Ctx, project: Project, draft: Draft, text: string): Promise<PipelineRow> {
  const { order, target } = draft
  const given = { ...(await knownFor(ctx, project, order, target)), order, target }
  const parent_id = order.source === 'parent_pipeline' ? order.upstream?.pipeline_id : undefined
  const config = { text, sha: target.sha, parent_id, isForPipeline: true }
  const compiled = await compileIn(ctx, project, config, given)
  if (!compiled.built) {
    throw new PipelineRefused(
      compiled.errors.map(({ message }) => message),
      'config',
    )
  }
  const choose = await chooser(ctx, project, compiled.built, given)
  const iid = probableIid(ctx.db, project.id)
  const choice = checked(choose(iid))
  const excess = excessOf(ctx, project, choice.selection.jobs.length)
  if (excess) return refuseExcess(ctx, project, draft, excess)
  await askValidation(ctx, project, target, choice.selection.jobs)
  const { auto_cancel } = compiled.built.workflow
  const row = writeFull(ctx, project, draft, { iid, choice, choose, auto_cancel })
  await keep(ctx, project, row)
  return row
}

/** The pipeline is there; what git says about its ref is no reason to make another one. */
async function keep(ctx: Ctx, project: Project, row: PipelineRow): Promise<void> {
  try {
    await ensurePipelineRef(ctx, project, row)
  } catch (error) {
    ctx.log.error({ err: error, pipeline_id: row.id }, 'the commit of a pipeline could not be kept')
  }
}

/** Who asks is told; where nobody does, a failed pipeline says it. */
function refuseExcess(ctx: Ctx, project: Project, draft: Draft, excess: Excess): PipelineRow {
  const { failure_reason, text } = excess
  if (!keepsBroken(draft.order.source)) throw refused(text)
  return writeEmpty(ctx, project, draft, {
    status: 'failed',
    failure_reason,
    yaml_errors: text,
    finished_at: ctx.now,
  })
}

function writeBroken(
  ctx: Ctx,
  project: Project,
  draft: Draft,
  { texts, because }: PipelineRefused,
): PipelineRow {
  return writeEmpty(ctx, project, draft, {
    status: 'failed',
    failure_reason: because === 'validation' ? 'external_validation_failure' : 'config_error',
    yaml_errors: texts.join(', '),
    finished_at: ctx.now,
  })
}
