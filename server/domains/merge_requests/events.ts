import { z } from 'zod'

import { event } from '../../events/event.ts'
import { columnChangesShape } from '../../lib/column-changes.ts'

const mergeRequest = {
  merge_request_id: z.number(),
  iid: z.number(),
  /** The target project. */
  project_id: z.number(),
  actor_id: z.number().nullable(),
}

/** The changed columns with their old and new values. */
const changes = columnChangesShape.optional()

/** A merge request was opened. A job makes its first version. */
export const MergeRequestCreated = event('merge_request.created', mergeRequest)

/** Fields of a merge request changed. `previous` has the old texts and target branch. */
export const MergeRequestUpdated = event('merge_request.updated', {
  ...mergeRequest,
  changed: z.array(z.string()),
  previous: z.object({
    title: z.string().optional(),
    description: z.string().nullable().optional(),
    target_branch: z.string().optional(),
  }),
  changes,
})

/** The reviewers changed. A new merge request adds all of its reviewers. */
export const ReviewersChanged = event('merge_request.reviewers_changed', {
  ...mergeRequest,
  added: z.array(z.number()),
  removed: z.array(z.number()),
  changes,
})

/** The branches moved and a new version was created. */
export const MergeRequestPushed = event('merge_request.pushed', {
  ...mergeRequest,
  diff_id: z.number(),
  old_head: z.string().nullable(),
  new_head: z.string(),
  /** Whether the content of the change is different; false after a plain rebase. */
  content_changed: z.boolean(),
  changes,
})

/** A check found a new merge status. */
export const MergeabilityChanged = event('merge_request.mergeability_changed', {
  ...mergeRequest,
  merge_status: z.string(),
})

/** A merge request was closed without merging. */
export const MergeRequestClosed = event('merge_request.closed', { ...mergeRequest, changes })

/** A closed merge request was reopened. */
export const MergeRequestReopened = event('merge_request.reopened', { ...mergeRequest, changes })

/** A merge request was merged. */
export const MergeRequestMerged = event('merge_request.merged', {
  ...mergeRequest,
  merge_commit_sha: z.string().nullable(),
  squash_commit_sha: z.string().nullable(),
  changes,
})

/** A rebase or an automatic merge failed. */
export const MergeFailed = event('merge_request.merge_failed', { ...mergeRequest, reason: z.string() })

/** The automatic merge was enabled or canceled. */
export const AutoMergeChanged = event('merge_request.auto_merge_changed', {
  ...mergeRequest,
  armed: z.boolean(),
})

/** A merge request was deleted. */
export const MergeRequestDeleted = event('merge_request.deleted', mergeRequest, { ends: 'merge_request_id' })

/** A user approved a merge request. */
export const MergeRequestApproved = event('merge_request.approved', {
  ...mergeRequest,
  user_id: z.number(),
  /** Whether the merge request has all required approvals now. */
  is_approved: z.boolean(),
})

/** A user revoked their approval. */
export const MergeRequestUnapproved = event('merge_request.unapproved', {
  ...mergeRequest,
  user_id: z.number(),
  /** Whether the merge request had all required approvals before. */
  was_approved: z.boolean(),
})

/** Approvals were removed, by new commits, a new target branch or a reset. */
export const ApprovalsReset = event('merge_request.approvals_reset', {
  ...mergeRequest,
  user_ids: z.array(z.number()),
})

/** People became approvers of an open merge request. */
export const ApproversAdded = event('merge_request.approvers_added', {
  ...mergeRequest,
  user_ids: z.array(z.number()),
})

/** An approval rule of a project was created, updated or deleted. */
export const ApprovalRuleChanged = event('approval_rule.changed', {
  project_id: z.number(),
  approval_rule_id: z.number(),
  action: z.enum(['created', 'updated', 'deleted']),
  actor_id: z.number().nullable(),
})

/** Makes the fields that every event about a merge request has. */
export function eventFields(
  ctx: { readonly actor: { readonly id: number | null } },
  request: { readonly id: number; readonly iid: number; readonly project_id: number },
) {
  const { id, iid, project_id } = request
  return { merge_request_id: id, iid, project_id, actor_id: ctx.actor.id }
}
