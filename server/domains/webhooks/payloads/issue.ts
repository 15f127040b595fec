import type { Ctx } from '../../../ctx.ts'
import { assigneeIdsOf, issueById, type IssueRow, labelIdsOf, timeWords } from '../../planning/index.ts'
import { type Project, projectById } from '../../projects/index.ts'
import type { HookEvent } from '../recording/hook-event.ts'
import {
  hookTime,
  labelBlocks,
  projectBlock,
  projectUrl,
  repositoryBlock,
  userBlockOf,
  userBlocks,
  withUploads,
} from './blocks.ts'
import { type PlanningChanges, changesInEvent, STATE_IDS, timeSpent } from './planning-changes.ts'

/** The `action` of issue events. */
export type IssueAction = 'open' | 'close' | 'reopen' | 'update'

const optionalTime = (value: string | null): string | null => value && hookTime(value)

/** Time tracking fields in seconds and as text. `change` is the time that was just added. */
export function timesOf(ctx: Ctx, row: { time_estimate: number; total_time_spent: number }, change: number) {
  const asText = (seconds: number): string | null => (seconds === 0 ? null : timeWords(ctx, seconds))
  return {
    time_estimate: row.time_estimate,
    total_time_spent: row.total_time_spent,
    time_change: change,
    human_time_estimate: asText(row.time_estimate),
    human_total_time_spent: asText(row.total_time_spent),
    human_time_change: asText(change),
  }
}

/** An issue in events about it and about its notes (spec administration 3.9), without `action`. */
export function issueAttributes(ctx: Ctx, project: Project, row: IssueRow, changes: PlanningChanges = {}) {
  const assignee_ids = assigneeIdsOf(ctx.db, 'Issue', row.id)
  return {
    id: row.id,
    iid: row.iid,
    title: row.title,
    description: withUploads(ctx, project, row.description),
    author_id: row.author_id,
    assignee_id: assignee_ids[0] ?? null,
    assignee_ids,
    project_id: row.project_id,
    milestone_id: row.milestone_id,
    state_id: STATE_IDS[row.state]!,
    state: row.state,
    confidential: row.confidential,
    discussion_locked: row.discussion_locked,
    due_date: row.due_date,
    created_at: hookTime(row.created_at),
    updated_at: hookTime(row.updated_at),
    closed_at: optionalTime(row.closed_at),
    updated_by_id: row.updated_by_id,
    last_edited_at: optionalTime(row.last_edited_at),
    last_edited_by_id: row.last_edited_by_id,
    relative_position: row.relative_position,
    moved_to_id: row.moved_to_id,
    duplicated_to_id: row.duplicated_to_id,
    ...timesOf(ctx, row, timeSpent(changes)),
    weight: row.weight,
    labels: labelBlocks(ctx, labelIdsOf(ctx.db, 'Issue', row.id)),
    severity: row.severity.toLowerCase(),
    escalation_status: null,
    escalation_policy: null,
    url: `${projectUrl(ctx, project)}/-/issues/${row.iid}`,
  }
}

/** An event about an issue. */
export interface IssueEventData {
  readonly action: IssueAction
  readonly changes: PlanningChanges
  readonly actor_id: number | null
}

/** Makes the event of a change of an issue (spec administration 3.9). Null if it is deleted. */
export function issueEvent(ctx: Ctx, id: number, event: IssueEventData): HookEvent | null {
  const row = issueById(ctx.db, id)
  const project = row && projectById(ctx.db, row.project_id)
  if (!project) return null
  const kind = row.confidential ? 'confidential_issue' : 'issue'
  const attributes = issueAttributes(ctx, project, row, event.changes)
  const { labels, assignee_ids } = attributes
  const assignees = userBlocks(ctx, assignee_ids)
  const current = { attributes, assignee_ids, label_ids: labels.map((label) => label.id) }
  const payload = {
    object_kind: 'issue',
    event_type: kind,
    user: userBlockOf(ctx, event.actor_id) ?? userBlockOf(ctx, row.author_id),
    project: projectBlock(ctx, project),
    object_attributes: { ...attributes, action: event.action },
    labels,
    changes: changesInEvent(ctx, project, current, event.changes),
    repository: repositoryBlock(ctx, project),
    assignees,
    assignee: assignees[0] ?? null,
  }
  return { kind, project_id: project.id, payload }
}
