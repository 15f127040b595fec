import { atLeastOne } from '../../../http/endpoint.ts'
import { bool, choice, day, int, list, text, timestamp } from '../../../http/params.ts'
import { ISSUE_TYPES } from './issue.ts'

const titles = () => list(text({ max: 255 }), { max: 100 })

const fields = {
  description: text({ max: 2_000_000 }).nullable().optional().describe('Description, Markdown'),
  assignee_ids: list(int({ min: 0 }), { max: 200 })
    .nullable()
    .optional()
    .describe('Ids of the assignees; 0 or none takes them all away'),
  assignee_id: int({ min: 0 }).nullable().optional().describe('Id of the one assignee (older)'),
  milestone_id: int({ min: 0 }).nullable().optional().describe('Id of the milestone; 0 for none'),
  labels: titles().nullable().optional().describe('Titles of its labels, comma-separated'),
  due_date: day().nullable().optional().describe('Day on which it is due'),
  confidential: bool().optional().describe('Only for its author, assignees and people of the project'),
  discussion_locked: bool().nullable().optional().describe('Only members may say something'),
  issue_type: choice(...ISSUE_TYPES)
    .optional()
    .describe('Type of the issue'),
  weight: int({ min: 0, max: 1_000_000 }).nullable().optional().describe('Weight'),
  health_status: choice('on_track', 'needs_attention', 'at_risk').nullable().optional().describe('Health'),
  epic_id: int().nullable().optional().describe('Taken and passed over: there are no epics'),
  created_at: timestamp().optional().describe('When it was made, for owners'),
}

/** What a new issue takes. */
export const createParams = {
  title: text({ max: 100_000 }).describe('Title'),
  ...fields,
  iid: int({ min: 1, max: 2_147_483_647 }).optional().describe('Its number, for owners'),
  merge_request_to_resolve_discussions_of: int({ min: 1 })
    .optional()
    .describe('Number of the merge request whose open discussions the issue takes over and resolves'),
  discussion_to_resolve: text({ max: 255 })
    .optional()
    .describe('Id of the only discussion of that merge request that is meant'),
}

/** What can be changed. */
export const updateParams = {
  title: text({ max: 100_000 }).optional().describe('Title'),
  ...fields,
  add_labels: titles().optional().describe('Titles of labels to add'),
  remove_labels: titles().optional().describe('Titles of labels to take away'),
  state_event: choice('close', 'reopen').optional().describe('Closes it, or opens it again'),
  updated_at: timestamp().optional().describe('When it was changed, for owners'),
}

/** An edit has to change something. */
export const somethingToChange = atLeastOne(...Object.keys(updateParams).sort())
