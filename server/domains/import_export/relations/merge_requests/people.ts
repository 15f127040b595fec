import { childrenOf, timeOf } from '../checked.ts'
import { takeEach } from '../children/part.ts'
import type { Fields, Source, Target } from '../relation.ts'

/** Who approved a merge request. */
export function approvalRecords(from: Source, requestId: number): Fields[] {
  return from.db.many<Fields>(
    `SELECT user_id, created_at, created_at AS updated_at FROM approvals WHERE merge_request_id = ? ORDER BY id`,
    requestId,
  )
}

/** Takes over who approved it: the version that came along. */
export function takeApprovals(
  record: Fields,
  into: Target,
  { id, version, target_branch }: { id: number; version: number | null; target_branch: string },
): void {
  takeEach(into, 'approvals', childrenOf(record, 'approvals'), (approval) => {
    into.link('approvals', {
      merge_request_id: id,
      user_id: into.person(approval['user_id']).id,
      created_at: timeOf(approval, 'created_at') ?? into.now,
      diff_id: version,
      target_branch,
    })
  })
}

/** Who is asked to review a merge request. */
export function reviewerRecords(from: Source, requestId: number): Fields[] {
  return from.db.many<Fields>(
    `SELECT user_id, state, created_at FROM merge_request_reviewers WHERE merge_request_id = ? ORDER BY user_id`,
    requestId,
  )
}

/** States, as words or as the numbers of older releases, that mean that somebody has looked. */
const REVIEWED: readonly Fields[string][] = ['reviewed', 'requested_changes', 'approved', 1, 2, 3]

/** Takes over who is asked to review it. */
export function takeReviewers(record: Fields, into: Target, id: number): void {
  takeEach(into, 'merge_request_reviewers', childrenOf(record, 'merge_request_reviewers'), (reviewer) => {
    into.link('merge_request_reviewers', {
      merge_request_id: id,
      user_id: into.person(reviewer['user_id']).id,
      state: REVIEWED.includes(reviewer['state'] ?? null) ? 'reviewed' : 'unreviewed',
      created_at: timeOf(reviewer, 'created_at') ?? into.now,
    })
  })
}
