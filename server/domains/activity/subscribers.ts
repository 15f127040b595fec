import type { Ctx } from '../../ctx.ts'
import { on, type Subscription } from '../../events/publish.ts'
import { MemberAdded, MemberRemoved } from '../members/events.ts'
import { NoteCreated } from '../discussions/events.ts'
import { ProjectCreated } from '../projects/events.ts'
import { RefsUpdated } from '../repository/events.ts'
import { recordPush } from './service-pushes.ts'
import { recordNote, record } from './service.ts'
import { WikiPageChanged, WikiPushed } from '../wikis/events.ts'
import { WIKI_PAGE, type EventRow } from './types.ts'
import type { EventType } from '../../events/event.ts'
import {
  MergeRequestCreated,
  MergeRequestClosed,
  MergeRequestReopened,
  MergeRequestMerged,
  MergeRequestApproved,
} from '../merge_requests/events.ts'
import {
  IssueCreated,
  IssueClosed,
  IssueReopened,
  MilestoneCreated,
  MilestoneClosed,
  MilestoneActivated,
  MilestoneDeleted,
} from '../planning/events.ts'
import * as store from './store.ts'

interface Membership {
  project_id?: number | undefined
  group_id?: number | undefined
  user_id: number
  actor_id: number | null
}

/** Records that a user joined or left a project or group. The first membership of a creator is not recorded. */
function recordMembership(
  ctx: Ctx,
  { project_id, group_id, user_id, actor_id }: Membership,
  action: 'joined' | 'left' | 'expired',
) {
  if (action === 'joined' && actor_id === user_id) return
  const owner = { project_id: project_id ?? null, namespace_id: group_id ?? null }
  record(ctx, { ...owner, author_id: user_id, action })
}

interface WikiPage {
  readonly wiki_page_id: number
  readonly action: 'created' | 'updated' | 'deleted'
  readonly slug: string
  readonly title: string
  readonly format: string
}

interface OwnedEvent {
  readonly project_id?: number | undefined
  readonly group_id?: number | undefined
  readonly actor_id: number | null
}

const WIKI_ACTIONS = { created: 'created', updated: 'updated', deleted: 'destroyed' } as const

/** Records an event about a wiki page. Only its author sees events of a group wiki. */
function recordPage(ctx: Ctx, { project_id, group_id, actor_id }: OwnedEvent, page: WikiPage): void {
  if (actor_id === null) return
  const { format, slug, title } = page
  record(ctx, {
    project_id: project_id ?? null,
    namespace_id: group_id ?? null,
    author_id: actor_id,
    action: WIKI_ACTIONS[page.action],
    target_type: WIKI_PAGE,
    target_id: page.wiki_page_id,
    target_title: title,
    details: JSON.stringify({ format, slug, title }),
  })
}

const ownerKey = ({ project_id, group_id }: OwnedEvent): string =>
  `activity:${project_id ?? 0}:${group_id ?? 0}`

/** Events about wiki pages, changed by the API or by git (spec core 6.8, administration 10.2). */
export const wikiPages: Subscription[] = [
  on(WikiPageChanged, 'activity.wiki_page', (ctx, event) => recordPage(ctx, event, event), { key: ownerKey }),
  on(
    WikiPushed,
    'activity.wiki_push',
    (ctx, event) => {
      for (const page of event.pages) recordPage(ctx, event, page)
    },
    { key: ownerKey },
  ),
]

/** Records an event of an issue, merge request or milestone. Milestones of groups have no feed. */
function recordPlanningEvent(
  ctx: Ctx,
  action: EventRow['action'],
  of: { type: store.PlanningType; id: number; author_id: number | null },
): void {
  const row = store.planningRow(ctx.db, of.type, of.id)
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

/** Subscribes to one type of event. Events of one project are recorded in order. */
function recordOn<F extends Event>(
  type: EventType<F>,
  action: EventRow['action'],
  target: store.PlanningType,
  id: (event: F) => number,
): Subscription {
  const run = (ctx: Ctx, event: F) =>
    recordPlanningEvent(ctx, action, { type: target, id: id(event), author_id: event.actor_id })
  return on(type, `activity.${type.name}`, run, { key: (event) => `activity:${event.project_id ?? 0}` })
}

const issueId = (event: { issue_id: number }): number => event.issue_id

const requestId = (event: { merge_request_id: number }): number => event.merge_request_id

const milestoneId = (event: { milestone_id: number }): number => event.milestone_id

/** Events of issues, merge requests and milestones (spec core 6.8). */
export const planning: Subscription[] = [
  recordOn(IssueCreated, 'created', 'Issue', issueId),
  recordOn(IssueClosed, 'closed', 'Issue', issueId),
  recordOn(IssueReopened, 'reopened', 'Issue', issueId),
  recordOn(MergeRequestCreated, 'created', 'MergeRequest', requestId),
  recordOn(MergeRequestClosed, 'closed', 'MergeRequest', requestId),
  recordOn(MergeRequestReopened, 'reopened', 'MergeRequest', requestId),
  recordOn(MergeRequestMerged, 'merged', 'MergeRequest', requestId),
  recordOn(MilestoneCreated, 'created', 'Milestone', milestoneId),
  recordOn(MilestoneClosed, 'closed', 'Milestone', milestoneId),
  recordOn(MilestoneActivated, 'reopened', 'Milestone', milestoneId),
  on(
    MergeRequestApproved,
    'activity.merge_request.approved',
    (ctx, event) => {
      const target = { type: 'MergeRequest', id: event.merge_request_id, author_id: event.user_id } as const
      recordPlanningEvent(ctx, 'approved', target)
    },
    { key: (event) => `activity:${event.project_id}` },
  ),
  on(MilestoneDeleted, 'activity.milestone.deleted', (ctx, { project_id, actor_id, title }) => {
    if (project_id === undefined || actor_id === null) return
    const event = { project_id, author_id: actor_id, action: 'destroyed' } as const
    record(ctx, { ...event, target_type: 'Milestone', target_title: title })
  }),
]

export const subscribers: Subscription[] = [
  on(RefsUpdated, 'activity.push', recordPush),
  on(ProjectCreated, 'activity.project', (ctx, { project_id, actor_id }) => {
    if (actor_id !== null) record(ctx, { project_id, author_id: actor_id, action: 'created' })
  }),
  on(MemberAdded, 'activity.joined', (ctx, event) => recordMembership(ctx, event, 'joined')),
  on(MemberRemoved, 'activity.left', (ctx, event) =>
    recordMembership(ctx, event, event.cause === 'expired' ? 'expired' : 'left'),
  ),
  on(NoteCreated, 'activity.note', recordNote, { only: ({ system }) => !system }),
  ...planning,
  ...wikiPages,
]
