import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { fail } from '../../../lib/fail.ts'
import { inRepository, type Project } from '../../projects/index.ts'
import { refreshApprovals } from '../approvals/refresh.ts'
import { followBranchTips } from '../diffs/branches.ts'
import { mayMergeInto } from '../policy.ts'
import * as store from '../store.ts'
import type { MergeRequestRow } from '../types.ts'
import { enableAutoMerge, clearAutoMerge } from './auto-merge-state.ts'
import { requestAutoMerge } from './auto-merge.ts'
import { inspectMerge } from './check.ts'
import { mergeNow, type MergeOptions, type MergeOutcome } from './merge.ts'
import { headPipelineState, obstacleOf, pipelineObstacle } from './status.ts'

/** The parameters of the merge endpoint. */
export interface MergeParams extends MergeOptions {
  /** Merge when the pipeline of the head succeeds. Fails without a pipeline. */
  readonly merge_when_pipeline_succeeds?: boolean | undefined
  /** The newer parameter, which merges at once without a pipeline. */
  readonly auto_merge?: boolean | undefined
}

const cannotBeMerged = () => fail('unprocessable', 'Branch cannot be merged')
const otherHead = (head: string) => fail('conflict', `SHA does not match HEAD of source branch: ${head}`)

/**
 * Merges, or enables the automatic merge. Throws in the order of spec core 5.4: 401 without permission, 405 for
 * obstacles in the database, 422 for obstacles in git, 409 for an unexpected head.
 */
export async function acceptMerge(
  ctx: Ctx,
  project: Project,
  before: MergeRequestRow,
  input: MergeParams,
): Promise<MergeRequestRow> {
  const since = ctx.db.generation
  if (!mayMergeInto(ctx, project, before.target_branch)) throw fail('unauthorized')
  if (before.state !== 'opened') throw fail('not_allowed')
  return inRepository(ctx, project, async () => {
    const request = await followBranchTips(ctx, project, before)
    // The target branch or a permission may have changed meanwhile.
    const checkedAt = ctx.db.generation
    if (checkedAt !== since && !mayMergeInto(ctx, project, request.target_branch)) throw fail('unauthorized')
    await refreshApprovals(ctx, request, project)
    if (obstacleOf(ctx, request, project, { ignoreBroken: true })) throw fail('not_allowed')
    const options = optionsOf(input)
    if (waitsForPipeline(ctx, request, project, input)) return scheduleMerge(ctx, project, request, options)
    const outcome = await mergeNow(ctx, project, request, { ...options, checkedAt })
    saveMergeError(ctx, request, outcome)
    return mergedOrThrow(outcome)
  })
}

/** Stores the reason why a push check refused the merge in the merge request. */
function saveMergeError(ctx: Ctx, { id }: MergeRequestRow, outcome: MergeOutcome): void {
  if (!('shown' in outcome)) return
  const merge_error = outcome.shown ?? null
  tx(ctx.db, () => store.byId(ctx.db, id) && store.update(ctx.db, id, { merge_error }))
}

function optionsOf(input: MergeParams): MergeOptions {
  const { merge_commit_message, squash_commit_message, squash, should_remove_source_branch, sha } = input
  return { merge_commit_message, squash_commit_message, squash, should_remove_source_branch, sha }
}

/** Whether the merge has to wait for the pipeline. Throws 405 if it can neither wait nor happen now. */
function waitsForPipeline(ctx: Ctx, request: MergeRequestRow, project: Project, input: MergeParams): boolean {
  if (input.merge_when_pipeline_succeeds || input.auto_merge) {
    const state = headPipelineState(ctx, request)
    if (state === 'running') return true
    const mayLackPipeline = input.auto_merge && state === 'none'
    if (state !== 'success' && !mayLackPipeline) throw fail('not_allowed')
  }
  if (pipelineObstacle(ctx, request, project)) throw fail('not_allowed')
  return false
}

async function scheduleMerge(
  ctx: Ctx,
  project: Project,
  request: MergeRequestRow,
  options: MergeOptions,
): Promise<MergeRequestRow> {
  const { isMergeable } = await inspectMerge(ctx, project, request)
  if (!isMergeable) throw cannotBeMerged()
  const head = request.head_sha!
  if (options.sha !== undefined && options.sha !== head) throw otherHead(head)
  return tx(ctx.db, () => {
    const current = store.byId(ctx.db, request.id)
    if (current?.state !== 'opened' || current.target_branch !== request.target_branch) {
      throw fail('not_allowed')
    }
    const enabled = enableAutoMerge(ctx, current, { ...options, sha: head })
    // The pipeline may have succeeded since it was found running. Nothing else would start the merge then.
    if (headPipelineState(ctx, enabled) === 'success') requestAutoMerge(ctx, enabled.id)
    return enabled
  })
}

function mergedOrThrow(outcome: MergeOutcome): MergeRequestRow {
  if ('merged' in outcome) return outcome.merged
  if (outcome.problem === 'not_open' || outcome.problem === 'not_approved') throw fail('not_allowed')
  throw outcome.problem === 'other_head' ? otherHead(outcome.head) : cannotBeMerged()
}

/**
 * Cancels an automatic merge. Throws 401 unless the actor is the author or may merge, 405 when the merge request is not
 * open, 406 when the automatic merge is not enabled.
 */
export function cancelAutoMerge(ctx: Ctx, project: Project, request: MergeRequestRow): MergeRequestRow {
  const isAuthor = ctx.actor.id === request.author_id
  if (!isAuthor && !mayMergeInto(ctx, project, request.target_branch)) throw fail('unauthorized')
  if (request.state !== 'opened') throw fail('not_allowed')
  if (!request.merge_when_pipeline_succeeds) {
    throw fail('not_acceptable', "Can't cancel the automatic merge")
  }
  return tx(ctx.db, () => clearAutoMerge(ctx, request))
}
