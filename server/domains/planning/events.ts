import { z } from 'zod'

import { event } from '../../events/event.ts'
import { columnChangesShape } from '../../lib/column-changes.ts'

const changes = columnChangesShape.optional()

const milestone = {
  milestone_id: z.number(),
  iid: z.number(),
  /** The owner: exactly one of the two is set. */
  project_id: z.number().optional(),
  group_id: z.number().optional(),
  actor_id: z.number().nullable(),
}

/** A milestone was created. */
export const MilestoneCreated = event('milestone.created', milestone)

/** The title, description or dates of a milestone changed. */
export const MilestoneUpdated = event('milestone.updated', { ...milestone, changed: z.array(z.string()) })

/** A milestone was closed. */
export const MilestoneClosed = event('milestone.closed', milestone)

/** A closed milestone was activated. */
export const MilestoneActivated = event('milestone.activated', milestone)

/** A milestone was deleted. Its issues and merge requests have no milestone now. */
export const MilestoneDeleted = event('milestone.deleted', { ...milestone, title: z.string() })

/** Milestones of projects were merged into one milestone of a group. */
export const MilestonePromoted = event('milestone.promoted', {
  ...milestone,
  group_id: z.number(),
  /** The milestones that were merged and deleted. */
  merged_ids: z.array(z.number()),
})

const label = {
  label_id: z.number(),
  /** The owner: exactly one of the two is set. */
  project_id: z.number().optional(),
  group_id: z.number().optional(),
  actor_id: z.number().nullable(),
}

/** A label was created. */
export const LabelCreated = event('label.created', label)

/** The title, color, description or priority of a label changed. */
export const LabelUpdated = event('label.updated', { ...label, changed: z.array(z.string()) })

/** A label was deleted and removed from all issues, merge requests and boards. */
export const LabelDeleted = event('label.deleted', { ...label, title: z.string() })

/** Labels of projects were merged into one label of a group. */
export const LabelPromoted = event('label.promoted', {
  ...label,
  group_id: z.number(),
  /** The labels that were merged and deleted. */
  merged_ids: z.array(z.number()),
})

const issue = {
  issue_id: z.number(),
  iid: z.number(),
  project_id: z.number(),
  actor_id: z.number().nullable(),
  /** If set, the event is only for users who may see confidential issues. */
  confidential: z.boolean(),
}

/** An issue was created. */
export const IssueCreated = event('issue.created', issue)

/** Fields of an issue changed. `previous` has the old texts. */
export const IssueUpdated = event('issue.updated', {
  ...issue,
  changed: z.array(z.string()),
  previous: z.object({ title: z.string().optional(), description: z.string().nullable().optional() }),
  changes,
})

/** An issue was closed, by a user or by a commit or merge request that mentions it. */
export const IssueClosed = event('issue.closed', {
  ...issue,
  commit_id: z.string().nullable(),
  merge_request_id: z.number().nullable(),
  changes,
})

/** A closed issue was reopened. */
export const IssueReopened = event('issue.reopened', { ...issue, changes })

/** An issue was moved to another project, which has a new issue for it. */
export const IssueMoved = event('issue.moved', { ...issue, moved_to_id: z.number(), changes })

/** An issue was deleted. */
export const IssueDeleted = event('issue.deleted', issue, { ends: 'issue_id' })

/** The fields of every event about an issue or a merge request. */
const issuable = {
  kind: z.enum(['Issue', 'MergeRequest']),
  id: z.number(),
  iid: z.number(),
  project_id: z.number(),
  actor_id: z.number().nullable(),
}

/** The assignees changed. A new issue or merge request adds all of its assignees. */
export const AssigneesChanged = event('issuable.assignees_changed', {
  ...issuable,
  added: z.array(z.number()),
  removed: z.array(z.number()),
  changes,
})

/** Labels were added or removed. */
export const LabelsChanged = event('issuable.labels_changed', {
  ...issuable,
  added: z.array(z.number()),
  removed: z.array(z.number()),
  changes,
})

/** The milestone changed. Null means no milestone. */
export const MilestoneChanged = event('issuable.milestone_changed', {
  ...issuable,
  from: z.number().nullable(),
  to: z.number().nullable(),
  changes,
})

/** The time estimate or the spent time changed, in seconds. */
export const TimeChanged = event('issuable.time_changed', {
  ...issuable,
  time_estimate: z.number(),
  total_time_spent: z.number(),
  changes,
})

/** A user added a to-do item with `/todo`, or finished it with `/done`. */
export const TodoMarked = event('issuable.todo_marked', {
  ...issuable,
  user_id: z.number(),
  done: z.boolean(),
})
