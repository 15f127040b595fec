import { z } from 'zod'

import { date, entity, time, type Presentation } from '../../../http/entity.ts'
import { ReferencesShape, TaskCompletionShape, TimeStats } from '../issuables/entity.ts'
import { references } from '../issuables/issuable.ts'
import { taskCompletion, taskStatus } from '../issuables/text-changes.ts'
import { LabelBasic } from '../labels/entity.ts'
import { Milestone } from '../milestones/entity.ts'
import { UserBasic } from '../../users/entity.ts'
import type { IssueView } from './view.ts'

const LinksShape = z.strictObject({
  self: z.string(),
  notes: z.string(),
  award_emoji: z.string(),
  project: z.string(),
  closed_as_duplicate_of: z.string().nullable(),
})

/** The fields of every view of an issue (spec core 6.3). */
export const issueFields = {
  id: z.int(),
  iid: z.int(),
  project_id: z.int(),
  title: z.string(),
  description: z.string().nullable(),
  state: z.enum(['opened', 'closed']),
  created_at: time(),
  updated_at: time(),
  closed_at: time().nullable(),
  closed_by: UserBasic.schema.nullable(),
  labels: z.union([z.array(z.string()), z.array(LabelBasic.schema)]),
  milestone: Milestone.schema.nullable(),
  assignees: z.array(UserBasic.schema),
  author: UserBasic.schema,
  type: z.enum(['ISSUE', 'INCIDENT', 'TEST_CASE', 'TASK']),
  assignee: UserBasic.schema.nullable(),
  user_notes_count: z.int(),
  merge_requests_count: z.int(),
  upvotes: z.int(),
  downvotes: z.int(),
  due_date: date().nullable(),
  confidential: z.boolean(),
  discussion_locked: z.boolean().nullable(),
  issue_type: z.enum(['issue', 'incident', 'test_case', 'task']),
  web_url: z.string(),
  time_stats: TimeStats.schema,
  task_completion_status: TaskCompletionShape,
  weight: z.int().nullable(),
  blocking_issues_count: z.int(),
  has_tasks: z.boolean(),
  task_status: z.string().optional(),
  _links: LinksShape,
  references: ReferencesShape,
  severity: z.enum(['UNKNOWN', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL']),
  subscribed: z.boolean().optional(),
  moved_to_id: z.int().nullable(),
  service_desk_reply_to: z.null(),
  epic_iid: z.null(),
  epic: z.null(),
  iteration: z.null(),
  health_status: z.enum(['on_track', 'needs_attention', 'at_risk']).nullable(),
}

function linksOf({ issue, duplicate_of }: IssueView, at: Presentation) {
  const project = `${at.url}/api/v4/projects/${issue.project_id}`
  const self = `${project}/issues/${issue.iid}`
  const original =
    duplicate_of && `${at.url}/api/v4/projects/${duplicate_of.project_id}/issues/${duplicate_of.iid}`
  return {
    self,
    notes: `${self}/notes`,
    award_emoji: `${self}/award_emoji`,
    project,
    closed_as_duplicate_of: original ?? null,
  }
}

function labelsOf({ labels, with_labels_details }: IssueView, at: Presentation) {
  return with_labels_details
    ? labels.map((label) => LabelBasic.present(label, at))
    : labels.map((label) => label.title)
}

function tasksOf(view: IssueView) {
  const tasks = taskCompletion(view.issue.description)
  const hasTasks = tasks.count > 0
  return { tasks, has_tasks: hasTasks, ...(hasTasks ? { task_status: taskStatus(tasks) } : {}) }
}

type Type = 'issue' | 'incident' | 'test_case' | 'task'

/** Presents the fields of an issue. */
export function issueJson(view: IssueView, at: Presentation) {
  const { issue } = view
  const assignees = view.assignees.map((user) => UserBasic.present(user, at))
  const { tasks, ...task } = tasksOf(view)
  return {
    id: issue.id,
    iid: issue.iid,
    project_id: issue.project_id,
    title: issue.title,
    description: issue.description,
    state: issue.state,
    created_at: issue.created_at,
    updated_at: issue.updated_at,
    closed_at: issue.closed_at,
    closed_by: view.closed_by && UserBasic.present(view.closed_by, at),
    labels: labelsOf(view, at),
    milestone: view.milestone && Milestone.present(view.milestone, at),
    assignees,
    author: UserBasic.present(view.author, at),
    type: issue.issue_type.toUpperCase() as Uppercase<Type>,
    assignee: assignees[0] ?? null,
    user_notes_count: issue.user_notes_count,
    merge_requests_count: view.merge_requests_count,
    upvotes: issue.upvotes,
    downvotes: issue.downvotes,
    due_date: issue.due_date,
    confidential: issue.confidential,
    discussion_locked: issue.discussion_locked === null ? null : issue.discussion_locked,
    issue_type: issue.issue_type,
    web_url: `${at.url}/${view.project_path}/-/issues/${issue.iid}`,
    time_stats: TimeStats.present(issue, at),
    task_completion_status: tasks,
    weight: issue.weight,
    blocking_issues_count: view.blocking_issues_count,
    ...task,
    _links: linksOf(view, at),
    references: references('Issue', issue.iid, view.project_path, view.relative_to),
    severity: issue.severity,
    ...(view.subscribed === undefined ? {} : { subscribed: view.subscribed }),
    moved_to_id: issue.moved_to_id,
    service_desk_reply_to: null,
    epic_iid: null,
    epic: null,
    iteration: null,
    health_status: issue.health_status,
  }
}

/** An issue (spec core 6.3). */
export const Issue = entity('Issue', issueFields, issueJson)

/** The number of open and of closed issues in a list. */
export const IssuesStatistics = entity(
  'IssuesStatistics',
  {
    statistics: z.strictObject({
      counts: z.strictObject({ all: z.int(), closed: z.int(), opened: z.int() }),
    }),
  },
  (counts: { readonly closed: number; readonly opened: number }) => ({
    statistics: {
      counts: { all: counts.closed + counts.opened, closed: counts.closed, opened: counts.opened },
    },
  }),
)
