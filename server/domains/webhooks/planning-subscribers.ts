import type { Ctx } from '../../ctx.ts'
import type { EventType } from '../../events/event.ts'
import { on, type PublishedEvent, type Subscription, together } from '../../events/publish.ts'
import { AwardAdded, AwardRemoved } from '../discussions/award_emoji/events.ts'
import { NoteCreated } from '../discussions/notes/events.ts'
import {
  ApprovalsReset,
  MergeRequestApproved,
  MergeRequestClosed,
  MergeRequestCreated,
  MergeRequestMerged,
  MergeRequestPushed,
  MergeRequestReopened,
  MergeRequestUnapproved,
  MergeRequestUpdated,
  ReviewersChanged,
} from '../merge_requests/events.ts'
import {
  AssigneesChanged,
  LabelsChanged,
  MilestoneChanged,
  TimeChanged,
} from '../planning/issuables/events.ts'
import {
  IssueClosed,
  IssueCreated,
  IssueMoved,
  IssueReopened,
  IssueUpdated,
} from '../planning/issues/events.ts'
import { type IssueAction, issueEvent } from './payloads/issue.ts'
import { type MergeRequestAction, mergeRequestEvent } from './payloads/merge-request.ts'
import { emojiEvent, type GivenEmoji, noteEvent } from './payloads/note.ts'
import {
  isVisibleChange,
  planChanges,
  type PlanChanges,
  type PlanningEvent,
  untoldColumns,
} from './payloads/planning-changes.ts'
import type { HookEvent, Kind } from './recording/hook-event.ts'
import { isListened, record, recordAll } from './recording/service.ts'

/** Any event about an issue or a merge request. */
interface Event extends PlanningEvent {
  readonly project_id: number
  readonly kind?: 'Issue' | 'MergeRequest'
  readonly id?: number
  readonly issue_id?: number
  readonly merge_request_id?: number
  readonly is_approved?: boolean
  readonly was_approved?: boolean
  readonly old_head?: string | null
  readonly new_head?: string
}

type Events = readonly PublishedEvent<Event>[]
type Kinds = readonly EventType<Event>[]

/** What issues and merge requests have in common. */
const SHARED = [AssigneesChanged, LabelsChanged, MilestoneChanged, TimeChanged]

const ISSUE = [IssueCreated, IssueUpdated, IssueClosed, IssueReopened, IssueMoved]

const REQUEST = [
  MergeRequestCreated,
  MergeRequestUpdated,
  ReviewersChanged,
  MergeRequestPushed,
  MergeRequestClosed,
  MergeRequestReopened,
  MergeRequestMerged,
  MergeRequestApproved,
  MergeRequestUnapproved,
  ApprovalsReset,
]

const hasListener = (ctx: Ctx, { project_id }: Event, kinds: readonly Kind[]): boolean =>
  kinds.some((kind) => isListened(ctx.db, kind, { project_id }))

const has = (events: Events, type: { readonly name: string }): boolean =>
  events.some((event) => event.name === type.name)

/** Whether a change shows; a new order, or a link to another issue, is no news. */
function shows(changes: PlanChanges): boolean {
  return isVisibleChange(changes, untoldColumns(changes.columns))
}

function issueAction(events: Events, changes: PlanChanges): IssueAction | undefined {
  if (changes.isNew) return 'open'
  if (has(events, IssueClosed)) return 'close'
  if (has(events, IssueReopened)) return 'reopen'
  return shows(changes) ? 'update' : undefined
}

/** Tells once of all that one request did to an issue. */
function tellIssue(ctx: Ctx, events: Events): void {
  const last = events.at(-1)!.payload
  const changes = planChanges(events, { isNew: has(events, IssueCreated) })
  const action = issueAction(events, changes)
  const { actor_id } = last
  const event = action && issueEvent(ctx, (last.issue_id ?? last.id)!, { action, changes, actor_id })
  if (event && hasListener(ctx, last, [event.kind])) record(ctx, event, actor_id)
}

/** What happened, by the most telling of the events. */
function requestAction(events: Events, changes: PlanChanges): MergeRequestAction | undefined {
  if (changes.isNew) return 'open'
  if (has(events, MergeRequestMerged)) return 'merge'
  if (has(events, MergeRequestClosed)) return 'close'
  if (has(events, MergeRequestReopened)) return 'reopen'
  return approvalAction(events) ?? (oldHead(events) || shows(changes) ? 'update' : undefined)
}

const APPROVALS = new Set([MergeRequestApproved.name, MergeRequestUnapproved.name, ApprovalsReset.name])

/** One approval of several, or the one that completes them; and back. */
function approvalAction(events: Events): MergeRequestAction | undefined {
  const given = events.findLast((event) => event.name === MergeRequestApproved.name)
  if (given) return given.payload.is_approved ? 'approved' : 'approval'
  const taken = events.findLast((event) => event.name === MergeRequestUnapproved.name)
  if (taken) return taken.payload.was_approved ? 'unapproved' : 'unapproval'
  return has(events, ApprovalsReset) ? 'unapproved' : undefined
}

/** The head before new commits came; undefined without any, and for the first version. */
function oldHead(events: Events): string | undefined {
  const first = events.find((event) => event.name === MergeRequestPushed.name)?.payload
  return first?.old_head && first.old_head !== first.new_head ? first.old_head : undefined
}

/** Tells once of all that one request did to a merge request, approvals aside: those are events of their own. */
async function tellRequest(ctx: Ctx, events: Events): Promise<void> {
  const parts = Map.groupBy(events, (event) => APPROVALS.has(event.name)).values()
  const hookEvents = await Promise.all([...parts].map((part) => requestEvent(ctx, part)))
  recordAll(ctx, hookEvents, events.at(-1)!.payload.actor_id)
}

async function requestEvent(ctx: Ctx, events: Events): Promise<HookEvent | null> {
  const { actor_id, merge_request_id, id } = events.at(-1)!.payload
  const changes = planChanges(events, { isNew: has(events, MergeRequestCreated) })
  const action = requestAction(events, changes)
  if (!action) return null
  return mergeRequestEvent(ctx, (merge_request_id ?? id)!, {
    action,
    changes,
    actor_id,
    oldrev: oldHead(events),
  })
}

/** A new order, or a link, which is not worth a job. */
function isNews({ changed, changes }: Event): boolean {
  return changed === undefined || changed.includes('description') || shows({ columns: changes ?? {} })
}

/** The first version belongs to the opening, and one of the same head to another target. */
function isNewHead({ old_head, new_head }: Event): boolean {
  return new_head === undefined || (old_head != null && old_head !== new_head)
}

type Award = GivenEmoji & { readonly actor_id: number | null }

const isHeard = ({ project_id }: Award, { db }: Ctx): boolean =>
  project_id !== null && isListened(db, 'emoji', { project_id })

/** Giving and taking back in their order. */
const key = ({ project_id }: Award): string => `webhooks.award:${project_id}`

async function tellEmoji(ctx: Ctx, award: Award, action: 'award' | 'revoke'): Promise<void> {
  const event = await emojiEvent(ctx, award, action)
  if (event) record(ctx, event, award.actor_id)
}

/** Events of notes that people write, and of emoji. */
const noteSubscribers: Subscription[] = [
  on(
    NoteCreated,
    'webhooks.note',
    async (ctx, { note_id, actor_id }) => {
      const event = await noteEvent(ctx, note_id)
      if (event && isListened(ctx.db, event.kind, event)) record(ctx, event, actor_id)
    },
    {
      only: ({ project_id, system }, { db }) =>
        project_id !== null &&
        !system &&
        (isListened(db, 'note', { project_id }) || isListened(db, 'confidential_note', { project_id })),
    },
  ),
  on(AwardAdded, 'webhooks.award', (ctx, award) => tellEmoji(ctx, award, 'award'), { only: isHeard, key }),
  on(AwardRemoved, 'webhooks.award_removed', (ctx, award) => tellEmoji(ctx, award, 'revoke'), {
    only: isHeard,
    key,
  }),
]

/** Events of planning: issues, merge requests, and what is said about them. */
export const subscribers: Subscription[] = [
  ...together([...ISSUE, ...SHARED] as Kinds, 'webhooks.issue', tellIssue, {
    gather: (event) => `issue:${event.issue_id ?? event.id}`,
    only: (event, ctx) =>
      event.kind !== 'MergeRequest' &&
      isNews(event) &&
      hasListener(ctx, event, ['issue', 'confidential_issue']),
  }),
  ...together([...REQUEST, ...SHARED] as Kinds, 'webhooks.merge_request', tellRequest, {
    gather: (event) => `merge_request:${event.merge_request_id ?? event.id}`,
    only: (event, ctx) =>
      event.kind !== 'Issue' &&
      isNews(event) &&
      isNewHead(event) &&
      hasListener(ctx, event, ['merge_request']),
  }),
  ...noteSubscribers,
]
