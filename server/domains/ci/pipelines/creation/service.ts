import type { Ctx } from '../../../../ctx.ts'
import { findCommit } from '../../../../git/read/commits.ts'
import { resolveCommit } from '../../../../git/read/revisions.ts'
import { inRepository, repoOf, type Project } from '../../../projects/index.ts'
import { ensurePipelineRef } from '../refs.ts'
import type { PipelineRow } from '../store.ts'
import { compileIn, configOf, knownFor } from './compiling.ts'
import {
  type GivenVariable,
  checkGivenVariables,
  heedsSkip,
  isSkipped,
  keepsBroken,
  type PipelineRequest,
  PipelineRefused,
  refused,
  type PipelineTarget,
  targetOf,
} from './request.ts'
import { checkProject, checkTarget } from '../../policy.ts'
import { chooser } from './selecting.ts'
import { probableIid } from './store.ts'
import { askValidation, countDownstream, countPipeline, type Excess, excessOf } from './validation.ts'
import { checked, type Draft, writeEmpty, writeFull } from './write.ts'
import type { PipelineView } from '../entity.ts'
import { showPipeline } from '../service.ts'

/**
 * Creates a pipeline in the name of the actor (spec ci 2.6). Throws PipelineRefused, 400 `{"message":{"base":[…]}}`, and
 * stores nothing. Where no user waits for an answer, as after a push, a broken configuration is stored as a failed
 * pipeline, and `[ci skip]` as a skipped one.
 */
export async function createPipeline(
  ctx: Ctx,
  project: Project,
  request: PipelineRequest,
): Promise<PipelineRow> {
  checkProject(ctx, project, request)
  return inRepository(ctx, project, async () => {
    const target = await findTarget(ctx, project, request)
    checkTarget(ctx, project, target, request.merge_request)
    if (request.upstream) countDownstream(ctx, project.id, target.sha)
    else countPipeline(ctx, project.id, target.sha)
    const commit = await findCommit(repoOf(ctx, project), target.sha)
    if (!commit) throw refused('Commit not found')
    const text = request.config ?? (await configOf(ctx, project, target.sha, request.config_path))
    if (text === null) throw refused('Missing CI config file')
    const draft: Draft = { request, target, committed_at: new Date(commit.committed_date).toISOString() }
    if (heedsSkip(request.source) && isSkipped(commit.message, request.push_options)) {
      return writeEmpty(ctx, project, draft, { status: 'skipped' })
    }
    try {
      return await withJobs(ctx, project, draft, text)
    } catch (error) {
      const isKept =
        error instanceof PipelineRefused && (error.because === 'config' || error.because === 'validation')
      if (!isKept) throw error
      if (!keepsBroken(request.source)) throw error
      return writeBroken(ctx, project, draft, error)
    }
  })
}

/** The same for automatic pipelines: returns null if the pipeline is refused. */
export async function tryPipeline(
  ctx: Ctx,
  project: Project,
  request: PipelineRequest,
): Promise<PipelineRow | null> {
  try {
    return await createPipeline(ctx, project, request)
  } catch (error) {
    if (!(error instanceof PipelineRefused)) throw error
    const { id } = project
    ctx.log.debug(
      { project_id: id, ref: request.ref, source: request.source, why: error.texts },
      'no pipeline',
    )
    return null
  }
}

async function findTarget(ctx: Ctx, project: Project, request: PipelineRequest): Promise<PipelineTarget> {
  const named = project.empty_repo ? null : await targetOf(ctx, project, request.ref)
  if (named === null) throw refused('Reference not found')
  if (named === 'ambiguous') throw refused('Ref is ambiguous')
  // The ref of a merge request without the merge request itself is refused.
  if (named.kind === 'merge_request' && !request.merge_request) throw refused('Reference not found')
  // A fork has no ref of the merge request, so that its pipeline runs on the branch.
  const found = request.merge_request
    ? { ...named, kind: 'merge_request' as const, isProtected: false }
    : named
  if (request.sha === undefined) return found
  const sha = await resolveCommit(repoOf(ctx, project), request.sha)
  if (sha === null) throw refused('Commit not found')
  return { ...found, sha }
}

async function withJobs(ctx: Ctx, project: Project, draft: Draft, text: string): Promise<PipelineRow> {
  const { request, target } = draft
  const given = { ...(await knownFor(ctx, project, request, target)), request, target }
  const parent_id = request.source === 'parent_pipeline' ? request.upstream?.pipeline_id : undefined
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

/** The pipeline is stored already; a failure of git must not lead to a second one. */
async function keep(ctx: Ctx, project: Project, row: PipelineRow): Promise<void> {
  try {
    await ensurePipelineRef(ctx, project, row)
  } catch (error) {
    ctx.log.error({ err: error, pipeline_id: row.id }, 'the commit of a pipeline could not be kept')
  }
}

/** Refuses the request, or stores a failed pipeline where no user waits for an answer. */
function refuseExcess(ctx: Ctx, project: Project, draft: Draft, excess: Excess): PipelineRow {
  const { failure_reason, text } = excess
  if (!keepsBroken(draft.request.source)) throw refused(text)
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

/** Creates a pipeline on request of a user: in the window (`web`) or with a token (`api`). */
export async function startPipeline(
  ctx: Ctx,
  project: Project,
  given: { readonly ref: string; readonly variables: readonly GivenVariable[] },
): Promise<PipelineView> {
  checkGivenVariables(given.variables)
  const isWindow = ctx.actor.kind === 'user' && ctx.actor.via === 'session'
  const row = await createPipeline(ctx, project, { source: isWindow ? 'web' : 'api', ...given })
  return showPipeline(ctx, project, row)
}
