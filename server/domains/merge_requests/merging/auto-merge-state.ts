import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import { publish } from '../../../events/publish.ts'
import { writeSystemNote } from '../../discussions/index.ts'
import { AutoMergeChanged, eventFields } from '../events.ts'
import { mergeRequestNoteable } from '../service-notes.ts'
import * as store from '../store.ts'
import type { MergeRequestRow } from '../types.ts'
import { paramsOf } from './claim.ts'

const optionsSchema = z.object({
  merge_commit_message: z.string().optional(),
  squash_commit_message: z.string().optional(),
  squash: z.boolean().optional(),
  should_remove_source_branch: z.boolean().optional(),
  sha: z.string().optional(),
})

/** The stored options of an automatic merge. */
export type AutoMergeOptions = z.output<typeof optionsSchema>

/** Reads the options of the automatic merge of a merge request. */
export function autoMergeOptionsOf(request: MergeRequestRow): AutoMergeOptions {
  return optionsSchema.safeParse(paramsOf(request)['auto_merge']).data ?? {}
}

/**
 * Enables the automatic merge: a merge as the actor as soon as the pipeline of the head succeeds. Call it in a
 * transaction.
 */
export function enableAutoMerge(
  ctx: Ctx,
  request: MergeRequestRow,
  options: AutoMergeOptions,
): MergeRequestRow {
  const removesBranch = options.should_remove_source_branch
  const updated = store.update(ctx.db, request.id, {
    merge_when_pipeline_succeeds: true,
    merge_params: JSON.stringify({ auto_merge: options }),
    merge_user_id: ctx.actor.id,
    merge_error: null,
    updated_at: ctx.now,
    updated_by_id: ctx.actor.id,
    ...(removesBranch === undefined ? {} : { should_remove_source_branch: removesBranch }),
    ...(options.squash === undefined ? {} : { squash: options.squash }),
  })
  if (!request.merge_when_pipeline_succeeds) {
    writeNote(ctx, updated, `enabled an automatic merge when the pipeline for ${request.head_sha} succeeds`)
    publish(ctx, AutoMergeChanged, { ...eventFields(ctx, updated), armed: true })
  }
  return updated
}

/**
 * Cancels the automatic merge, if there is one. The system note names the reason; without one, it says that the actor
 * canceled the merge. Call it in a transaction.
 */
export function clearAutoMerge(ctx: Ctx, request: MergeRequestRow, reason?: string): MergeRequestRow {
  if (!request.merge_when_pipeline_succeeds) return request
  const updated = store.update(ctx.db, request.id, {
    merge_when_pipeline_succeeds: false,
    merge_params: null,
    merge_user_id: null,
    should_remove_source_branch: null,
    updated_at: ctx.now,
    updated_by_id: ctx.actor.id,
  })
  writeNote(
    ctx,
    updated,
    reason ? `aborted the automatic merge because ${reason}` : 'canceled the automatic merge',
  )
  publish(ctx, AutoMergeChanged, { ...eventFields(ctx, updated), armed: false })
  return updated
}

function writeNote(ctx: Ctx, request: MergeRequestRow, body: string): void {
  const author_id = ctx.actor.id ?? request.author_id
  writeSystemNote(ctx, mergeRequestNoteable(request), { action: 'merge', body, author_id })
}
