import { exclusive } from '../../../http/endpoint.ts'
import { param, refuse, type Param } from '../../../http/param.ts'
import { bool, choice, hash, int, list, text, timestamp } from '../../../http/params.ts'
import { EXCLUSIVE, intNoneAny, issuableFilterParams, notParams } from '../../planning/index.ts'

/** At most so many people can be asked about at once (spec rest-api "Limits"). */
const MAX_APPROVERS = 5

const ids = list(int(), { max: MAX_APPROVERS })
const names = list(text({ max: 255 }), { max: MAX_APPROVERS })

/** A list of people, or whether there is any at all. */
export type PeopleOrWord<Item> = readonly Item[] | 'None' | 'Any'

/** `None`, `Any`, or a list. */
function people<Item>(of: Param<Item[]>, what: string): Param<PeopleOrWord<Item>> {
  return param({ type: 'array', items: { type: 'string' }, description: what }, (raw) => {
    const single = Array.isArray(raw) && raw.length === 1 ? (raw[0] as unknown) : raw
    const word = typeof single === 'string' ? single.toLowerCase() : ''
    if (word === 'none') return 'None'
    if (word === 'any') return 'Any'
    const parsed = of.safeParse(raw)
    return parsed.success ? parsed.data : refuse(parsed.error.issues[0]!.message)
  })
}

const { weight: _weight, ...shared } = issuableFilterParams
const { weight: _notWeight, ...turnable } = notParams

const turnedPeople = {
  reviewer_id: int().optional().describe('Id of a reviewer'),
  reviewer_username: text({ max: 255 }).optional().describe('User name of a reviewer'),
}

/** Filters of every list of merge requests (spec rest-api "Merge requests"). */
const filters = {
  ...shared,
  state: choice('opened', 'closed', 'locked', 'merged', 'all').default('all').describe('In which state'),
  scope: choice('created_by_me', 'assigned_to_me', 'reviews_for_me', 'created-by-me', 'assigned-to-me', 'all')
    .optional()
    .describe('Whose: those the caller made, those assigned to them or waiting for their review, or all'),
  view: choice('simple').optional().describe('`simple` for few fields'),
  reviewer_id: intNoneAny('reviewer').optional().describe('Id of a reviewer, or None, or Any'),
  reviewer_username: text({ max: 255 }).optional().describe('User name of a reviewer, or None, or Any'),
  approved: choice('yes', 'no').optional().describe('Whether it has all the approvals that it needs'),
  approved_by_ids: people(ids, 'Ids of users who all approved, or None, or Any')
    .optional()
    .describe('Ids of users who all approved (at most five), or None, or Any'),
  approved_by_usernames: people(names, 'Names of users who all approved, or None, or Any')
    .optional()
    .describe('Names of users who all approved (at most five), or None, or Any'),
  approver_ids: people(ids, 'Ids of users who are all asked to approve, or None, or Any')
    .optional()
    .describe('Ids of users who are all named as approvers (at most five), or None, or Any'),
  merge_user_id: int().optional().describe('Id of who merged it'),
  merge_user_username: text({ max: 255 }).optional().describe('Name of who merged it'),
  source_branch: text({ max: 4096 }).optional().describe('From this branch'),
  source_project_id: int().optional().describe('From this project'),
  target_branch: text({ max: 4096 }).optional().describe('Into this branch'),
  draft: bool().optional().describe('Whether it is a draft'),
  wip: choice('yes', 'no').optional().describe('The older name of `draft`'),
  with_merge_status_recheck: bool()
    .default(false)
    .describe('Has git asked in the background whether they can be merged'),
  render_html: bool().default(false).describe('With title and description as HTML'),
  not: hash({ ...turnable, ...turnedPeople })
    .optional()
    .describe('Filters that must not hold'),
}

const deployed = {
  environment: text({ max: 255 }).optional().describe('Deployed to this environment'),
  deployed_after: timestamp().optional().describe('Deployed at or after'),
  deployed_before: timestamp().optional().describe('Deployed at or before'),
}

/** Filters of the list of the whole instance. */
export const instanceParams = {
  ...filters,
  ...deployed,
  scope: filters.scope.default('created_by_me'),
  non_archived: bool().optional().describe('Leave out what is in archived projects'),
}

/** Filters of the list of a group. */
export const groupParams = {
  ...filters,
  ...deployed,
  non_archived: bool().default(true).describe('Leave out what is in archived projects'),
}

/** Filters of the list of a project. */
export const projectParams = { ...filters, environment: deployed.environment }

/** Filters of the list of a deployment. */
export const deploymentParams = filters

/** Filters that exclude each other. */
export const filtersTogether = [
  ...EXCLUSIVE.map((pair) => exclusive(...pair)),
  exclusive('reviewer_id', 'reviewer_username'),
  exclusive('approved_by_ids', 'approved_by_usernames'),
  exclusive('merge_user_id', 'merge_user_username'),
]

/** What lists can be ordered by. */
export const ORDERS = [
  'created_at',
  'updated_at',
  'title',
  'merged_at',
  'priority',
  'label_priority',
  'milestone_due',
  'popularity',
] as const
