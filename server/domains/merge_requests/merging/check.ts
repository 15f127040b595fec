import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { mergeCommits } from '../../../git/write/merge.ts'
import { enqueue, job } from '../../../jobs/job.ts'
import { projectById, type Project } from '../../projects/index.ts'
import { ensureVersion, tipsOf } from '../diffs/branches.ts'
import { requestFollow } from '../diffs/jobs.ts'
import { latestDiff } from '../diffs/store.ts'
import { eventFields, MergeabilityChanged } from '../events.ts'
import * as store from '../store.ts'
import type { MergeRequestRow } from '../types.ts'

/** The result of merging the head into the target with git. */
interface MergeCheck {
  /** Heads of the source and the target branch. Null when the branch is missing. */
  readonly head: string | null
  readonly target: string | null
  /** Paths with conflicts. */
  readonly conflicts: readonly string[]
  /** Whether the merge request has commits, and they merge without conflicts. */
  readonly isMergeable: boolean
}

/** The delay before a check makes the version of a push, in case the job of the push does not, milliseconds. */
const VERSION_DELAY_MS = 3000

/** Checks whether a merge request can be merged, and stores the merge status. */
export async function runCheck(ctx: Ctx, mergeRequestId: number): Promise<void> {
  const stored = store.byId(ctx.db, mergeRequestId)
  const project = stored && projectById(ctx.db, stored.project_id)
  if (!stored || !project) return
  try {
    const request = await ensureVersion(ctx, project, stored)
    const check = await inspectMerge(ctx, project, request)
    if (check.head !== null && check.head !== request.head_sha && request.latest_diff_id !== null) {
      // A push will make a version soon, and that starts another check.
      requestFollow(ctx, { merge_request_id: request.id, actor_id: null }, { delay: VERSION_DELAY_MS })
      return store.cancelCheck(ctx.db, request.id)
    }
    saveStatus(ctx, request, check)
  } catch (error) {
    store.cancelCheck(ctx.db, stored.id)
    throw error
  }
}

/** Checks with git whether the head merges into the target branch. */
export async function inspectMerge(
  ctx: Ctx,
  project: Project,
  request: MergeRequestRow,
): Promise<MergeCheck> {
  const { repo, head, target } = await tipsOf(ctx, project, request)
  const version = latestDiff(ctx.db, request)
  if (head === null || target === null || !version || version.state === 'empty') {
    return { head, target, conflicts: [], isMergeable: false }
  }
  const { clean, conflicts } = await mergeCommits(repo, target, version.head_commit_sha)
  return { head, target, conflicts, isMergeable: clean }
}

function saveStatus(ctx: Ctx, before: MergeRequestRow, check: MergeCheck): void {
  const merge_status = check.isMergeable ? 'can_be_merged' : 'cannot_be_merged'
  tx(ctx.db, () => {
    const request = store.byId(ctx.db, before.id)
    // A push moved a branch during the check. It starts another check.
    if (!request || request.merge_status !== 'checking' || request.head_sha !== before.head_sha) return
    store.update(ctx.db, request.id, {
      merge_status,
      checked_source_sha: check.head,
      checked_target_sha: check.target,
    })
    publish(ctx, MergeabilityChanged, { ...eventFields(ctx, request), merge_status })
  })
}

/** Checks the merge status of a merge request. */
export const checkMergeability = job(
  'merge_requests.check',
  { args: { merge_request_id: z.number() } },
  (ctx, args) => runCheck(ctx, args.merge_request_id),
)

/** Enqueues a check of the merge status, unless it is known or under way. Returns the current row. */
export function requestCheck(ctx: Ctx, request: MergeRequestRow): MergeRequestRow {
  const isOpen = request.state === 'opened' || request.state === 'locked'
  const isUnknown =
    request.merge_status === 'unchecked' || request.merge_status === 'cannot_be_merged_recheck'
  if (!isOpen || !isUnknown) return request
  return tx(ctx.db, () => {
    const key = `merge_requests.check:${request.id}`
    enqueue(ctx, checkMergeability, { merge_request_id: request.id }, { key, once: key })
    return store.update(ctx.db, request.id, { merge_status: 'checking' })
  })
}
