import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import * as store from '../store.ts'
import type { MergeRequestRow } from '../types.ts'

/** The planned result of a merge. The recovery completes it after a crash. */
const intentSchema = z.object({
  user_id: z.number().nullable(),
  /** The new head of the target branch. */
  to: z.string(),
  merge_commit_sha: z.string().nullable(),
  squash_commit_sha: z.string().nullable(),
})

export type Intent = z.output<typeof intentSchema>

/** Returns the IDs of the merge requests that this instance is merging. */
function runningMerges({ db }: Pick<Ctx, 'db'>): Set<number> {
  return db.instance('merge_requests.merging', () => new Set<number>())
}

/** Runs `work`, and registers meanwhile that this instance is merging the merge request. */
export async function whileMerging<T>(ctx: Pick<Ctx, 'db'>, id: number, work: () => Promise<T>): Promise<T> {
  runningMerges(ctx).add(id)
  try {
    return await work()
  } finally {
    runningMerges(ctx).delete(id)
  }
}

/** Whether this instance is merging the merge request. */
export function isMerging(ctx: Pick<Ctx, 'db'>, id: number): boolean {
  return runningMerges(ctx).has(id)
}

/**
 * Locks a merge request for a merge and stores the planned result. Of two concurrent merges one gets the lock. Returns
 * undefined when the merge request is not open, or has another head or target.
 */
export function claim(
  ctx: Ctx,
  request: MergeRequestRow,
  options: { squash: boolean; should_remove_source_branch?: boolean | undefined; intent: Intent },
): MergeRequestRow | undefined {
  return tx(ctx.db, () => {
    const current = store.byId(ctx.db, request.id)
    if (current?.state !== 'opened' || current.head_sha !== request.head_sha) return undefined
    if (current.target_branch !== request.target_branch) return undefined
    const params = { ...paramsOf(current), merging: options.intent }
    const removesBranch = options.should_remove_source_branch
    return store.update(ctx.db, request.id, {
      state: 'locked',
      squash: options.squash,
      merge_params: JSON.stringify(params),
      ...(removesBranch === undefined ? {} : { should_remove_source_branch: removesBranch }),
    })
  })
}

/**
 * Reopens a locked merge request after a failed merge. Its status is checked again, because pushes during the lock were
 * skipped.
 */
export function unlock(ctx: Ctx, request: Pick<MergeRequestRow, 'id'>): void {
  tx(ctx.db, () => {
    const current = store.byId(ctx.db, request.id)
    if (current?.state !== 'locked') return
    const { merging: _, ...params } = paramsOf(current)
    const merge_params = Object.keys(params).length === 0 ? null : JSON.stringify(params)
    store.update(ctx.db, request.id, { state: 'opened', merge_params, merge_status: 'unchecked' })
  })
}

/** Reads the planned result of a locked merge request. Undefined if there is none. */
export function intentOf(request: MergeRequestRow): Intent | undefined {
  return intentSchema.safeParse(paramsOf(request)['merging']).data
}

/** Reads `merge_params`: the options of an automatic merge, and the planned result of a running merge. */
export function paramsOf(request: Pick<MergeRequestRow, 'merge_params'>): Record<string, unknown> {
  return request.merge_params === null ? {} : (JSON.parse(request.merge_params) as Record<string, unknown>)
}
