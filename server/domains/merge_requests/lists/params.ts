import { exclusive } from '../../../http/endpoint.ts'
import { param, refuse, type Param } from '../../../http/param.ts'
import { bool, choice, hash, int, list, text, timestamp } from '../../../http/params.ts'
import { EXCLUSIVE, intNoneAny, issuableFilterParams, notParams } from '../../planning/index.ts'

/** The maximum number of users in one filter (spec rest-api "Limits"). */
const MAX_APPROVERS = 5

const ids = list(int(), { max: MAX_APPROVERS })
const names = list(text({ max: 255 }), { max: MAX_APPROVERS })

/** IDs or usernames, or `None` or `Any`. */
export type PeopleOrWord<Item> = readonly Item[] | 'None' | 'Any'

/** Declares a parameter that takes `None`, `Any` or a list. */
function peopleParam<Item>(items: Param<Item[]>, description: string): Param<PeopleOrWord<Item>> {
  return param({ type: 'array', items: { type: 'string' }, description }, (raw) => {
    const single = Array.isArray(raw) && raw.length === 1 ? (raw[0] as unknown) : raw
    const keyword = typeof single === 'string' ? single.toLowerCase() : ''
    if (keyword === 'none') return 'None'
    if (keyword === 'any') return 'Any'
    const parsed = items.safeParse(raw)
    return parsed.success ? parsed.data : refuse(parsed.error.issues[0]!.message)
  })
}

const { weight: _weight, ...sharedParams } = issuableFilterParams
const { weight: _notWeight, ...negatableParams } = notParams

const excludedPeople = {
  reviewer_id: int().optional().describe('Exclude this reviewer, by ID'),
  reviewer_username: text({ max: 255 }).optional().describe('Exclude this reviewer, by username'),
}

/** The filters of all lists of merge requests (spec rest-api "Merge requests"). */
const filters = {
  ...sharedParams,
  state: choice('opened', 'closed', 'locked', 'merged', 'all').default('all').describe('Filter by state'),
  scope: choice('created_by_me', 'assigned_to_me', 'reviews_for_me', 'created-by-me', 'assigned-to-me', 'all')
    .optional()
    .describe('Filter by the role of the caller: author, assignee, reviewer, or all'),
  view: choice('simple').optional().describe('`simple` returns fewer fields'),
  reviewer_id: intNoneAny('reviewer')
    .optional()
    .describe('Filter by reviewer ID. `None` for no reviewer, `Any` for at least one'),
  reviewer_username: text({ max: 255 })
    .optional()
    .describe('Filter by reviewer username. `None` for no reviewer, `Any` for at least one'),
  approved: choice('yes', 'no').optional().describe('Filter by whether all required approvals are given'),
  approved_by_ids: peopleParam(ids, 'IDs of users who all approved, or None, or Any')
    .optional()
    .describe('Filter by the IDs of users who all approved (at most five), or `None`, or `Any`'),
  approved_by_usernames: peopleParam(names, 'Usernames of users who all approved, or None, or Any')
    .optional()
    .describe('Filter by the usernames of users who all approved (at most five), or `None`, or `Any`'),
  approver_ids: peopleParam(ids, 'IDs of users who are all approvers, or None, or Any')
    .optional()
    .describe(
      'Filter by the IDs of users who are all named as approvers (at most five), or `None`, or `Any`',
    ),
  merge_user_id: int().optional().describe('Filter by the ID of the user who merged'),
  merge_user_username: text({ max: 255 })
    .optional()
    .describe('Filter by the username of the user who merged'),
  source_branch: text({ max: 4096 }).optional().describe('Filter by source branch'),
  source_project_id: int().optional().describe('Filter by source project ID'),
  target_branch: text({ max: 4096 }).optional().describe('Filter by target branch'),
  draft: bool().optional().describe('Filter by draft status'),
  wip: choice('yes', 'no').optional().describe('Deprecated alias of `draft`'),
  with_merge_status_recheck: bool()
    .default(false)
    .describe('Start a background check of the merge status of each result'),
  render_html: bool().default(false).describe('Include the title and description as HTML'),
  not: hash({ ...negatableParams, ...excludedPeople })
    .optional()
    .describe('Filters that results must not match'),
}

const deploymentFilters = {
  environment: text({ max: 255 }).optional().describe('Filter by the environment of a deployment'),
  deployed_after: timestamp().optional().describe('Filter by deployment at or after this time, in ISO 8601'),
  deployed_before: timestamp()
    .optional()
    .describe('Filter by deployment at or before this time, in ISO 8601'),
}

/** The filters of the list of the instance. */
export const instanceParams = {
  ...filters,
  ...deploymentFilters,
  scope: filters.scope.default('created_by_me'),
  non_archived: bool().optional().describe('Exclude merge requests of archived projects'),
}

/** The filters of the list of a group. */
export const groupParams = {
  ...filters,
  ...deploymentFilters,
  non_archived: bool().default(true).describe('Exclude merge requests of archived projects'),
}

/** The filters of the list of a project. */
export const projectParams = { ...filters, environment: deploymentFilters.environment }

/** The filters of the list of a deployment. */
export const deploymentParams = filters

/** Filters that exclude each other. */
export const parameterRules = [
  ...EXCLUSIVE.map((pair) => exclusive(...pair)),
  exclusive('reviewer_id', 'reviewer_username'),
  exclusive('approved_by_ids', 'approved_by_usernames'),
  exclusive('merge_user_id', 'merge_user_username'),
]

/** The values of `order_by`. */
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
