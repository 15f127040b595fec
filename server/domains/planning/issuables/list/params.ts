import { bool, choice, int, list, text, timestamp } from '../../../../http/params.ts'
import { param, refuse, type Param } from '../../../../http/param.ts'

/** A number, or `None` or `Any`. */
export type NumberOrWord = number | 'None' | 'Any'

/** Declares a parameter that takes a number, `None` or `Any` in any case (spec core 8.2). */
export function intNoneAny(name: string): Param<NumberOrWord> {
  return param({ type: 'string', description: `Number, None or Any: ${name}` }, (raw) => {
    const input = typeof raw === 'number' || typeof raw === 'string' ? String(raw).trim().toLowerCase() : ''
    if (input === 'none') return 'None'
    if (input === 'any') return 'Any'
    const isNumber = /^-?\d{1,15}$/.test(input)
    return isNumber ? Number(input) : refuse("should be an integer, 'None' or 'Any'")
  })
}

const names = () => list(text({ max: 255 }), { max: 100 })
const labels = () => list(text({ max: 255 }), { max: 100 })

/** The filters that `not[…]` can negate. */
const negatableParams = {
  labels: labels().optional().describe('The titles of labels, comma-separated'),
  milestone: text({ max: 255 }).optional().describe('The title of the milestone'),
  author_id: int().optional().describe('The ID of the author'),
  author_username: text({ max: 255 }).optional().describe('The username of the author'),
  assignee_id: int().optional().describe('The ID of an assignee'),
  assignee_username: names().optional().describe('The usernames of assignees'),
  my_reaction_emoji: text({ max: 255 }).optional().describe('The name of an emoji that the caller awarded'),
  iids: list(int(), { max: 1000 }).optional().describe('The internal IDs (IIDs)'),
  weight: int().optional().describe('The weight'),
}

/** The negated filters of all lists of issues and merge requests. Each kind can add its own. */
export const notParams = {
  ...negatableParams,
  milestone_id: choice('Started', 'Upcoming').optional().describe('Exclude milestones in this state'),
}

/**
 * The filters of all lists of issues and merge requests (spec core 6.3, rest-api). Each kind declares `state` and `not`
 * itself.
 */
export const issuableFilterParams = {
  ...negatableParams,
  labels: labels().optional().describe('Filter by label titles, `None` or `Any`. All labels must match'),
  milestone: text({ max: 255 })
    .optional()
    .describe('Filter by milestone title, or by `None`, `Any`, `Upcoming` or `Started`'),
  milestone_id: choice('None', 'Any', 'Upcoming', 'Started')
    .optional()
    .describe('Filter by milestone state: `None`, `Any`, `Upcoming` or `Started`'),
  assignee_id: intNoneAny('assignee').optional().describe('Filter by assignee ID, `None` or `Any`'),
  weight: intNoneAny('weight').optional().describe('Filter by weight, `None` or `Any`'),
  my_reaction_emoji: text({ max: 255 })
    .optional()
    .describe('Filter by an emoji that the caller awarded, `None` or `Any`'),
  search: text({ max: 1000 }).optional().describe('Search the title and description. All words must match'),
  in: list(text({ max: 20 }))
    .optional()
    .describe('The fields to search: `title`, `description`, or both'),
  created_after: timestamp().optional().describe('Filter by creation at or after this time'),
  created_before: timestamp().optional().describe('Filter by creation at or before this time'),
  updated_after: timestamp().optional().describe('Filter by the last update at or after this time'),
  updated_before: timestamp().optional().describe('Filter by the last update at or before this time'),
  scope: choice('created_by_me', 'assigned_to_me', 'created-by-me', 'assigned-to-me', 'all')
    .optional()
    .describe('Filter by the role of the caller: author, assignee, or all'),
  with_labels_details: bool().default(false).describe('Return the details of labels instead of their titles'),
}

/** The filter of lists over several projects. */
export const archivedParam = {
  non_archived: bool().default(true).describe('Exclude records in archived projects'),
}

/** Pairs of filters that exclude each other. */
export const EXCLUSIVE = [
  ['author_id', 'author_username'],
  ['assignee_id', 'assignee_username'],
  ['milestone', 'milestone_id'],
] as const

/** The values of `order_by`. */
export const issuableOrders = [
  'created_at',
  'updated_at',
  'priority',
  'due_date',
  'relative_position',
  'label_priority',
  'milestone_due',
  'popularity',
  'title',
  'weight',
] as const
/** The values of `due_date` filters (spec core 6.3). */
export const DUE = [
  '0',
  'any',
  'today',
  'tomorrow',
  'overdue',
  'week',
  'month',
  'next_month_and_previous_two_weeks',
  '',
] as const
