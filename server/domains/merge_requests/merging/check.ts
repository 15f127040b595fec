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
import { eventOf, MergeabilityChanged } from '../events.ts'
import * as store from '../store.ts'
import type { MergeRequestRow } from '../types.ts'

/** The result of merging the head into the target with git. */
interface Finding {
  /** Null when the branch is missing. */
  readonly head: string | null
  readonly target: string | null
  /** Paths with conflicts. */
  readonly conflicts: readonly string[]
  /** Whether there are commits, and they merge without conflicts. */
  readonly isMergeable: boolean
}

/** The delay before a check makes a version for a push, if the job of that push has not made it yet. */
const PUSH_MS = 3000

/** Checks whether a merge request can be merged, and stores the merge status. */
export async function runCheck(ctx: Ctx, mergeRequestId: number): Promise<void> {
  const match = store.byId(ctx.db, mergeRequestId)
  const project = match && projectById(ctx.db, match.project_id)
  if (!match || !project) return
  try {
    const request = await ensureVersion(ctx, project, match)
    const finding = await inspectMerge(ctx, project, request)
    if (finding.head !== null && finding.head !== request.head_sha && request.latest_diff_id !== null) {
      // A push will make a version soon, and that starts another check.
      requestFollow(ctx, { merge_request_id: request.id, actor_id: null }, { delay: PUSH_MS })
      return store.cancelCheck(ctx.db, request.id)
    }
    record(ctx, request, finding)
  } catch (error) {
    store.cancelCheck(ctx.db, match.id)
    throw error
  }
}

/** Checks with git whether the head merges into the target branch. */
export async function inspectMerge(ctx: Ctx, project: Project, request: MergeRequestRow): Promise<Finding> {
  const { repo, head, target } = await tipsOf(ctx, project, request)
  const version = latestDiff(ctx.db, request)
  if (head === null || target === null || !version || version.state === 'empty') {
    return { head, target, conflicts: [], isMergeable: false }
  }
  const { clean, conflicts } = await mergeCommits(repo, target, version.head_commit_sha)
  return { head, target, conflicts, isMergeable: clean }
}

function record(ctx: Ctx, before: MergeRequestRow, finding: Finding): void {
  const merge_status = finding.isMergeable ? 'can_be_merged' : 'cannot_be_merged'
  tx(ctx.db, () => {
    const request = store.byId(ctx.db, before.id)
    // A push moved a branch during the check. It starts another check.
    if (!request || request.merge_status !== 'checking' || request.head_sha !== before.head_sha) return
    store.update(ctx.db, request.id, {
      merge_status,
      checked_source_sha: finding.head,
      checked_target_sha: finding.target,
    })
    publish(ctx, MergeabilityChanged, { ...eventOf(ctx, request), merge_status })
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
