import type { Ctx } from '../../ctx.ts'
import { on, type Subscription } from '../../events/publish.ts'
import type { EventType } from '../../events/event.ts'
import { IssueClosed, IssueCreated, IssueReopened } from '../planning/issues/events.ts'
import {
  MergeRequestApproved,
  MergeRequestClosed,
  MergeRequestCreated,
  MergeRequestMerged,
  MergeRequestReopened,
} from '../merge_requests/events.ts'
import {
  MilestoneActivated,
  MilestoneClosed,
  MilestoneCreated,
  MilestoneDeleted,
} from '../planning/milestones/events.ts'
import { record } from './service.ts'

interface Row {
  readonly project_id: number | null
  readonly iid: number
  readonly title: string
}

const TABLES = { Issue: 'issues', MergeRequest: 'merge_requests', Milestone: 'milestones' } as const

/** Writes a line about something of a project; milestones of groups have no feed. */
function recordThing(
  ctx: Ctx,
  action: string,
  of: { type: keyof typeof TABLES; id: number; author_id: number | null },
): void {
  const row = ctx.db.one<Row>(`SELECT project_id, iid, title FROM ${TABLES[of.type]} WHERE id = ?`, of.id)
  if (!row || row.project_id === null || of.author_id === null) return
  record(ctx, {
    project_id: row.project_id,
    author_id: of.author_id,
    action,
    target_type: of.type,
    target_id: of.id,
    target_iid: row.iid,
    target_title: row.title,
  })
}

interface Event {
  readonly project_id?: number | undefined
  readonly actor_id: number | null
}

/** One line for each event of a kind; those of a project keep their order. */
function tells<F extends Event>(
  type: EventType<F>,
  action: string,
  thing: keyof typeof TABLES,
  id: (event: F) => number,
): Subscription {
  const run = (ctx: Ctx, event: F) =>
    recordThing(ctx, action, { type: thing, id: id(event), author_id: event.actor_id })
  return on(type, `activity.${type.name}`, run, { key: (event) => `activity:${event.project_id ?? 0}` })
}

const issueId = (event: { issue_id: number }): number => event.issue_id
const requestId = (event: { merge_request_id: number }): number => event.merge_request_id
const milestoneId = (event: { milestone_id: number }): number => event.milestone_id

/** Lines about issues, merge requests and milestones (spec core 6.8). */
export const planning: Subscription[] = [
  tells(IssueCreated, 'created', 'Issue', issueId),
  tells(IssueClosed, 'closed', 'Issue', issueId),
  tells(IssueReopened, 'reopened', 'Issue', issueId),
  tells(MergeRequestCreated, 'created', 'MergeRequest', requestId),
  tells(MergeRequestClosed, 'closed', 'MergeRequest', requestId),
  tells(MergeRequestReopened, 'reopened', 'MergeRequest', requestId),
  tells(MergeRequestMerged, 'merged', 'MergeRequest', requestId),
  tells(MilestoneCreated, 'created', 'Milestone', milestoneId),
  tells(MilestoneClosed, 'closed', 'Milestone', milestoneId),
  tells(MilestoneActivated, 'reopened', 'Milestone', milestoneId),
  on(
    MergeRequestApproved,
    'activity.merge_request.approved',
    (ctx, event) => {
      const of = { type: 'MergeRequest', id: event.merge_request_id, author_id: event.user_id } as const
      recordThing(ctx, 'approved', of)
    },
    { key: (event) => `activity:${event.project_id}` },
  ),
  on(MilestoneDeleted, 'activity.milestone.deleted', (ctx, { project_id, actor_id, title }) => {
    if (project_id === undefined || actor_id === null) return
    const line = { project_id, author_id: actor_id, action: 'destroyed' }
    record(ctx, { ...line, target_type: 'Milestone', target_title: title })
  }),
]
