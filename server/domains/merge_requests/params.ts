import { bool, choice, int, list, text } from '../../http/params.ts'

/** Largest body with a description of the longest allowed, bytes. */
export const MAX_BODY = 8 * 1024 * 1024

/** Longer texts are refused by the service, in the words of the contract. */
const long = () => text({ max: 4 * 1024 * 1024 })

const branch = () => text({ max: 4096 })

const ids = () => list(int({ min: 0 }), { max: 200 })

/** What creating and editing both take. */
const shared = {
  allow_collaboration: bool()
    .optional()
    .describe('From a fork: whether those who may merge may push to the source branch'),
  allow_maintainer_to_push: bool().optional().describe('The older name of `allow_collaboration`'),
  assignee_id: int({ min: 0 }).nullable().optional().describe('The one assignee; 0 for nobody'),
  assignee_ids: ids().nullable().optional().describe('Assignees; 0 or an empty list for nobody'),
  reviewer_ids: ids().nullable().optional().describe('Who is asked to review; 0 or an empty list for nobody'),
  description: long().nullable().optional().describe('Description, Markdown'),
  labels: list(text({ max: 1024 }))
    .nullable()
    .optional()
    .describe('Titles of labels'),
  milestone_id: int({ min: 0 }).nullable().optional().describe('Milestone; 0 for none'),
  remove_source_branch: bool().optional().describe('Whether the source branch is removed after the merge'),
  squash: bool().optional().describe('Whether the commits become one'),
}

/** What a new merge request takes. */
export const createParams = {
  title: long().describe('Title; `Draft:` in front makes it a draft'),
  source_branch: branch().describe('Branch with the changes'),
  target_branch: branch().describe('Branch to merge into'),
  target_project_id: int({ min: 1 }).optional().describe('Project to merge into; this one otherwise'),
  approvals_before_merge: int({ min: 0, max: 100 })
    .optional()
    .describe('More approvals than the project asks for'),
  ...shared,
}

/** What can be changed. */
export const editParams = {
  title: text({ max: 4 * 1024 * 1024, notEmpty: true })
    .optional()
    .describe('Title'),
  target_branch: text({ max: 4096, notEmpty: true }).optional().describe('Branch to merge into'),
  state_event: choice('close', 'reopen').optional().describe('Closes or reopens it'),
  add_labels: list(text({ max: 1024 }))
    .nullable()
    .optional()
    .describe('Titles of labels to add'),
  remove_labels: list(text({ max: 1024 }))
    .nullable()
    .optional()
    .describe('Titles of labels to take away'),
  discussion_locked: bool()
    .nullable()
    .optional()
    .describe('Whether only people of the project may take part in the discussion'),
  ...shared,
}

/** What an edit has to have at least one of. */
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

/** What is shown beside the usual. */
export const showParams = {
  render_html: bool().default(false).describe('With title and description as HTML'),
  include_diverged_commits_count: bool()
    .default(false)
    .describe('With the number of commits that the target branch is ahead'),
  include_rebase_in_progress: bool().default(false).describe('With whether a rebase is under way'),
}

interface GivenPeople {
  readonly assignee_id?: number | null | undefined
  readonly assignee_ids?: readonly number[] | null | undefined
}

/** The assignees that are asked for, in whichever form; undefined for no change. */
export function wantedAssignees(given: GivenPeople): readonly number[] | undefined {
  if (given.assignee_ids !== undefined) return withoutZero(given.assignee_ids)
  if (given.assignee_id === undefined) return undefined
  return given.assignee_id ? [given.assignee_id] : []
}

/** A list of users as it was sent; 0 or null for nobody. */
export function withoutZero(ids: readonly number[] | null): readonly number[] {
  return (ids ?? []).filter((id) => id !== 0)
}

/** `allow_collaboration` under either name. */
export function wantedCollaboration(given: {
  readonly allow_collaboration?: boolean | undefined
  readonly allow_maintainer_to_push?: boolean | undefined
}): boolean | undefined {
  return given.allow_collaboration ?? given.allow_maintainer_to_push
}

/** Parameters for the quick actions in a note. */
export const commandParams = {
  merge_request_diff_head_sha: text({ max: 64 })
    .optional()
    .describe('SHA of the head that `/merge` is meant for; the command does nothing for any other head'),
}

/** How a merge request is named in paths below its project. */
export const iidParam = { merge_request_iid: int({ min: 1 }).describe('Number of the merge request') }
