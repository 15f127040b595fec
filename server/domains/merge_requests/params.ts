import { bool, choice, int, list, text } from '../../http/params.ts'

/** The maximum size of a request body, bytes: enough for the longest description. */
export const MAX_BODY = 8 * 1024 * 1024

/** A text that the service limits further, with the contract's error sentences. */
const longText = () => text({ max: 4 * 1024 * 1024 })

const branch = () => text({ max: 4096 })

const ids = () => list(int({ min: 0 }), { max: 200 })

/** Parameters of creating and updating. */
const sharedParams = {
  allow_collaboration: bool()
    .optional()
    .describe('Allow users who can merge to push to the source branch of the fork'),
  allow_maintainer_to_push: bool().optional().describe('Deprecated alias of `allow_collaboration`'),
  assignee_id: int({ min: 0 }).nullable().optional().describe('The ID of the assignee. `0` unassigns'),
  assignee_ids: ids()
    .nullable()
    .optional()
    .describe('The IDs of the assignees. `0` or an empty list unassigns all'),
  reviewer_ids: ids()
    .nullable()
    .optional()
    .describe('The IDs of the reviewers. `0` or an empty list removes all'),
  description: longText().nullable().optional().describe('The description, in Markdown'),
  labels: list(text({ max: 1024 }))
    .nullable()
    .optional()
    .describe('The titles of the labels, comma-separated or as a list'),
  milestone_id: int({ min: 0 }).nullable().optional().describe('The ID of the milestone. `0` removes it'),
  remove_source_branch: bool().optional().describe('Delete the source branch after the merge'),
  squash: bool().optional().describe('Squash the commits into one when merging'),
}

/** Parameters of creating a merge request. */
export const createParams = {
  title: longText().describe('The title. The prefix `Draft:` makes it a draft'),
  source_branch: branch().describe('The source branch'),
  target_branch: branch().describe('The target branch'),
  target_project_id: int({ min: 1 })
    .optional()
    .describe('The ID of the target project. Default: this project'),
  approvals_before_merge: int({ min: 0, max: 100 })
    .optional()
    .describe('The number of required approvals, if more than the project requires'),
  ...sharedParams,
}

/** Parameters of updating a merge request. */
export const editParams = {
  title: text({ max: 4 * 1024 * 1024, notEmpty: true })
    .optional()
    .describe('The title'),
  target_branch: text({ max: 4096, notEmpty: true }).optional().describe('The target branch'),
  state_event: choice('close', 'reopen').optional().describe('The new state: `close` or `reopen`'),
  add_labels: list(text({ max: 1024 }))
    .nullable()
    .optional()
    .describe('The titles of labels to add'),
  remove_labels: list(text({ max: 1024 }))
    .nullable()
    .optional()
    .describe('The titles of labels to remove'),
  discussion_locked: bool().nullable().optional().describe('Allow only project members to comment'),
  ...sharedParams,
}

/** An update needs at least one of these parameters. */
export const EDITABLE = [
  'assignee_id',
  'assignee_ids',
  'reviewer_ids',
  'description',
  'discussion_locked',
  'labels',
  'add_labels',
  'remove_labels',
  'milestone_id',
  'remove_source_branch',
  'allow_collaboration',
  'allow_maintainer_to_push',
  'squash',
  'target_branch',
  'title',
  'state_event',
]

/** Parameters of getting a single merge request. */
export const showParams = {
  render_html: bool().default(false).describe('Include the title and description as HTML'),
  include_diverged_commits_count: bool()
    .default(false)
    .describe('Include the number of commits that the target branch is ahead'),
  include_rebase_in_progress: bool().default(false).describe('Include whether a rebase is in progress'),
}

interface AssigneeParams {
  readonly assignee_id?: number | null | undefined
  readonly assignee_ids?: readonly number[] | null | undefined
}

/** Returns the IDs from `assignee_ids`, or else from `assignee_id`. Returns undefined if both are missing. */
export function requestedAssigneeIds(input: AssigneeParams): readonly number[] | undefined {
  if (input.assignee_ids !== undefined) return withoutZero(input.assignee_ids)
  if (input.assignee_id === undefined) return undefined
  return input.assignee_id ? [input.assignee_id] : []
}

/** Returns a list of user IDs without `0`. Null becomes an empty list. */
export function withoutZero(ids: readonly number[] | null): readonly number[] {
  return (ids ?? []).filter((id) => id !== 0)
}

/** Returns the value of `allow_collaboration`, or else of its deprecated alias. */
export function requestedCollaboration(input: {
  readonly allow_collaboration?: boolean | undefined
  readonly allow_maintainer_to_push?: boolean | undefined
}): boolean | undefined {
  return input.allow_collaboration ?? input.allow_maintainer_to_push
}

/** Parameters for the quick actions in a note. */
export const commandParams = {
  merge_request_diff_head_sha: text({ max: 64 })
    .optional()
    .describe('The expected head SHA for the `/merge` command'),
}

/** Names a merge request in paths below its project. */
export const iidParam = {
  merge_request_iid: int({ min: 1 }).describe('The internal ID (IID) of the merge request'),
}
