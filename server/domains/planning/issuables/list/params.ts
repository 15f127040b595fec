import { bool, choice, int, list, text, timestamp } from '../../../../http/params.ts'
import { param, refuse, type Param } from '../../../../http/param.ts'

/** A number, or whether there is any at all. */
export type NumberOrWord = number | 'None' | 'Any'

/** A whole number, `None` or `Any`, whatever their case (spec core 8.2). */
export function intNoneAny(name: string): Param<NumberOrWord> {
  return param({ type: 'string', description: `Number, None or Any: ${name}` }, (raw) => {
    const given = typeof raw === 'number' || typeof raw === 'string' ? String(raw).trim().toLowerCase() : ''
    if (given === 'none') return 'None'
    if (given === 'any') return 'Any'
    const isNumber = /^-?\d{1,15}$/.test(given)
    return isNumber ? Number(given) : refuse("should be an integer, 'None' or 'Any'")
  })
}

const names = () => list(text({ max: 255 }), { max: 100 })
const label = () => list(text({ max: 255 }), { max: 100 })

/** Filters that can be turned round with `not[…]`. */
const turnable = {
  labels: label().optional().describe('Titles of labels, comma-separated'),
  milestone: text({ max: 255 }).optional().describe('Title of the milestone'),
  author_id: int().optional().describe('Id of the author'),
  author_username: text({ max: 255 }).optional().describe('User name of the author'),
  assignee_id: int().optional().describe('Id of an assignee'),
  assignee_username: names().optional().describe('User names of assignees'),
  my_reaction_emoji: text({ max: 255 }).optional().describe('Emoji that the caller gave'),
  iids: list(int(), { max: 1000 }).optional().describe('Numbers inside the project'),
  weight: int().optional().describe('Weight'),
}

/** What lists of issues and of merge requests take in `not[…]`; a kind may add its own. */
export const notParams = {
  ...turnable,
  milestone_id: choice('Started', 'Upcoming').optional().describe('Not of a milestone in this state'),
}

/** Filters of every list of issues and of merge requests (spec core 6.3, rest-api). `state` and `not` are the kind's own. */
export const issuableFilterParams = {
  ...turnable,
  labels: label().optional().describe('Titles of labels that all must be there, or None, or Any'),
  milestone: text({ max: 255 })
    .optional()
    .describe('Title of the milestone, or None, Any, Upcoming, Started'),
  milestone_id: choice('None', 'Any', 'Upcoming', 'Started')
    .optional()
    .describe('Whether there is a milestone, and in which state'),
  assignee_id: intNoneAny('assignee').optional().describe('Id of an assignee, or None, or Any'),
  weight: intNoneAny('weight').optional().describe('Weight, or None, or Any'),
  my_reaction_emoji: text({ max: 255 }).optional().describe('Emoji that the caller gave, or None, or Any'),
  search: text({ max: 1000 }).optional().describe('Words that all stand in the title or description'),
  in: list(text({ max: 20 }))
    .optional()
    .describe('Where to search: title, description, or both'),
  created_after: timestamp().optional().describe('Made at or after'),
  created_before: timestamp().optional().describe('Made at or before'),
  updated_after: timestamp().optional().describe('Changed at or after'),
  updated_before: timestamp().optional().describe('Not changed after'),
  scope: choice('created_by_me', 'assigned_to_me', 'created-by-me', 'assigned-to-me', 'all')
    .optional()
    .describe('Whose: those the caller made, those assigned to them, or all'),
  with_labels_details: bool().default(false).describe('Labels as records instead of titles'),
}

/** For lists over several projects. */
export const archivedParam = {
  non_archived: bool().default(true).describe('Leave out what is in archived projects'),
}

/** Pairs of filters that exclude each other. */
export const EXCLUSIVE = [
  ['author_id', 'author_username'],
  ['assignee_id', 'assignee_username'],
  ['milestone', 'milestone_id'],
] as const

/** What lists can be ordered by. */
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
