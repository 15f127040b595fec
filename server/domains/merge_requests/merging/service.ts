import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { fail } from '../../../lib/fail.ts'
import { inRepository, type Project } from '../../projects/index.ts'
import { refreshApprovals } from '../approvals/refresh.ts'
import { catchUp } from '../diffs/branches.ts'
import { mayMergeInto } from '../policy.ts'
import * as store from '../store.ts'
import type { MergeRequestRow } from '../types.ts'
import { arm, disarm } from './arming.ts'
import { lookAt } from './check.ts'
import { mergeNow, type MergeChoice, type MergeOutcome } from './merge.ts'
import { headPipelineState, obstacleOf, pipelineObstacle } from './status.ts'

/** What the endpoint of merges takes. */
export interface MergeWish extends MergeChoice {
  /** Merge when the pipeline of the head succeeds; without a pipeline that cannot be. */
  readonly merge_when_pipeline_succeeds?: boolean | undefined
  /** The same by its later name, which merges at once where there is no pipeline. */
  readonly auto_merge?: boolean | undefined
}

const cannotBeMerged = () => fail('unprocessable', 'Branch cannot be merged')
const otherHead = (head: string) => fail('conflict', `SHA does not match HEAD of source branch: ${head}`)

/**
 * Merges, or promises to when the pipeline succeeds. Throws in the order of spec core 5.4: 401 for who may not, 405 for
 * what the database says against it, 422 for what git says, 409 for another head.
 */
export async function acceptMerge(
  ctx: Ctx,
  project: Project,
  given: MergeRequestRow,
  wish: MergeWish,
): Promise<MergeRequestRow> {
  if (!mayMergeInto(ctx, project, given.target_branch)) throw fail('unauthorized')
  if (given.state !== 'opened') throw fail('not_allowed')
  return inRepository(ctx, project, async () => {
    const request = await catchUp(ctx, project, given)
    // It may lead elsewhere by now.
    if (!mayMergeInto(ctx, project, request.target_branch)) throw fail('unauthorized')
    await refreshApprovals(ctx, request, project)
    if (obstacleOf(ctx, request, project, { ignoreBroken: true })) throw fail('not_allowed')
    const choice = choiceIn(wish)
    if (waitsForPipeline(ctx, request, project, wish)) return promise(ctx, project, request, choice)
    const outcome = await mergeNow(ctx, project, request, choice)
    keepReason(ctx, request, outcome)
    return mergedOr(outcome)
  })
}

/** What the push rule has against the merge is shown with the merge request. */
function keepReason(ctx: Ctx, { id }: MergeRequestRow, outcome: MergeOutcome): void {
  if (!('shown' in outcome)) return
  const merge_error = outcome.shown ?? null
  tx(ctx.db, () => store.byId(ctx.db, id) && store.update(ctx.db, id, { merge_error }))
}

function choiceIn(wish: MergeWish): MergeChoice {
  const { merge_commit_message, squash_commit_message, squash, should_remove_source_branch, sha } = wish
  return { merge_commit_message, squash_commit_message, squash, should_remove_source_branch, sha }
}

/** Whether the merge has to wait. Throws 405 where it neither can wait nor happen at once. */
function waitsForPipeline(ctx: Ctx, request: MergeRequestRow, project: Project, wish: MergeWish): boolean {
  const state = headPipelineState(ctx, request)
  const isAutomatic = wish.merge_when_pipeline_succeeds || wish.auto_merge
  if (isAutomatic && state === 'running') return true
  const mayBeWithout = wish.auto_merge && state === 'none'
  if (isAutomatic && state !== 'success' && !mayBeWithout) throw fail('not_allowed')
  if (pipelineObstacle(ctx, request, project)) throw fail('not_allowed')
  return false
}

async function promise(
  ctx: Ctx,
  project: Project,
  request: MergeRequestRow,
  choice: MergeChoice,
): Promise<MergeRequestRow> {
  const { fits } = await lookAt(ctx, project, request)
  if (!fits) throw cannotBeMerged()
  const head = request.head_sha!
  if (choice.sha !== undefined && choice.sha !== head) throw otherHead(head)
  return tx(ctx.db, () => {
    const current = store.byId(ctx.db, request.id)
    if (current?.state !== 'opened' || current.target_branch !== request.target_branch) {
      throw fail('not_allowed')
    }
    return arm(ctx, current, { ...choice, sha: head })
  })
}

function mergedOr(outcome: MergeOutcome): MergeRequestRow {
  if ('merged' in outcome) return outcome.merged
  if (outcome.problem === 'not_open' || outcome.problem === 'not_approved') throw fail('not_allowed')
  throw outcome.problem === 'other_head' ? otherHead(outcome.head) : cannotBeMerged()
}

/** Calls an automatic merge off. Throws 401 for others than its author and who may merge, 405 and 406 where there is none. */
export function cancelAutoMerge(ctx: Ctx, project: Project, request: MergeRequestRow): MergeRequestRow {
  const isAuthor = ctx.actor.id === request.author_id
  if (!isAuthor && !mayMergeInto(ctx, project, request.target_branch)) throw fail('unauthorized')
  if (request.state !== 'opened') throw fail('not_allowed')
  if (!request.merge_when_pipeline_succeeds) {
    throw fail('not_acceptable', "Can't cancel the automatic merge")
  }
  return tx(ctx.db, () => disarm(ctx, request))
}
