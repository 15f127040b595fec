import { z } from 'zod'

import { event } from '../../events/event.ts'
import { columnChangesShape } from '../../lib/column-changes.ts'

const mergeRequest = {
  merge_request_id: z.number(),
  iid: z.number(),
  /** The project that is merged into. */
  project_id: z.number(),
  actor_id: z.number().nullable(),
}

/** Columns, with what stood there before and stands there now. */
const changes = columnChangesShape.optional()

/** A merge request was opened; its first version follows as a job. */
export const MergeRequestCreated = event('merge_request.created', mergeRequest)

/** Fields of a merge request changed; texts and the target carry what stood there before. */
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

/** Who is asked to review changed; on creation, everybody is added. */
export const ReviewersChanged = event('merge_request.reviewers_changed', {
  ...mergeRequest,
  added: z.array(z.number()),
  removed: z.array(z.number()),
  changes,
})

/** The source branch got commits, or was moved to others, and a new version was made. */
export const MergeRequestPushed = event('merge_request.pushed', {
  ...mergeRequest,
  diff_id: z.number(),
  old_head: z.string().nullable(),
  new_head: z.string(),
  /** Whether the change itself is another one; false after a rebase that only moved it. */
  content_changed: z.boolean(),
  changes,
})

/** Whether it can be merged was found out anew and is different from before. */
export const MergeabilityChanged = event('merge_request.mergeability_changed', {
  ...mergeRequest,
  merge_status: z.string(),
})

/** A merge request was closed without merging. */
export const MergeRequestClosed = event('merge_request.closed', { ...mergeRequest, changes })

/** A closed merge request is open again. */
export const MergeRequestReopened = event('merge_request.reopened', { ...mergeRequest, changes })

/** A merge request was merged. */
export const MergeRequestMerged = event('merge_request.merged', {
  ...mergeRequest,
  merge_commit_sha: z.string().nullable(),
  squash_commit_sha: z.string().nullable(),
  changes,
})

/** An attempt to merge or rebase that was promised could not be carried out. */
export const MergeFailed = event('merge_request.merge_failed', { ...mergeRequest, reason: z.string() })

/** Somebody armed or called off the merge that follows a successful pipeline. */
export const AutoMergeChanged = event('merge_request.auto_merge_changed', {
  ...mergeRequest,
  armed: z.boolean(),
})

/** A merge request is gone. */
export const MergeRequestDeleted = event('merge_request.deleted', mergeRequest, { ends: 'merge_request_id' })

/** Somebody approved. */
export const MergeRequestApproved = event('merge_request.approved', {
  ...mergeRequest,
  user_id: z.number(),
  /** Whether all approvals that it needs are there now. */
  is_approved: z.boolean(),
})

/** Somebody took their approval back. */
export const MergeRequestUnapproved = event('merge_request.unapproved', {
  ...mergeRequest,
  user_id: z.number(),
  /** Whether all approvals that it needs were there before. */
  was_approved: z.boolean(),
})

/** Approvals fell because of new commits or because somebody reset them. */
export const ApprovalsReset = event('merge_request.approvals_reset', {
  ...mergeRequest,
  user_ids: z.array(z.number()),
})

/** People became approvers of an open merge request. */
export const ApproversAdded = event('merge_request.approvers_added', {
  ...mergeRequest,
  user_ids: z.array(z.number()),
})

/** A rule of a project about approvals was made, changed or removed. */
export const ApprovalRuleChanged = event('approval_rule.changed', {
  project_id: z.number(),
  approval_rule_id: z.number(),
  action: z.enum(['created', 'updated', 'deleted']),
  actor_id: z.number().nullable(),
})

/** Makes the fields that every event about a merge request has. */
export function eventOf(
  ctx: { readonly actor: { readonly id: number | null } },
  request: { readonly id: number; readonly iid: number; readonly project_id: number },
) {
  const { id, iid, project_id } = request
  return { merge_request_id: id, iid, project_id, actor_id: ctx.actor.id }
}
