import type { Ctx } from '../../ctx.ts'
import type { EventType } from '../../events/event.ts'
import { on, type PublishedEvent, type Subscription, together } from '../../events/publish.ts'
import { AwardAdded, AwardRemoved, NoteCreated } from '../discussions/events.ts'
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
  IssueClosed,
  IssueCreated,
  IssueMoved,
  IssueReopened,
  IssueUpdated,
} from '../planning/events.ts'
import { type IssueAction, issueEvent } from './payloads/issue.ts'
import { type MergeRequestAction, mergeRequestEvent } from './payloads/merge-request.ts'
import { emojiEvent, type EmojiInput, noteEvent } from './payloads/note.ts'
import {
  hiddenColumns,
  isVisibleChange,
  combineChanges,
  type PlanningChanges,
  type PlanningEvent,
} from './payloads/planning-changes.ts'
import type { HookEvent, Kind } from './recording/hook-event.ts'
import { hasListenerFor, record, recordAll } from './recording/service.ts'

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

/** Events of both issues and merge requests. */
const SHARED = [AssigneesChanged, LabelsChanged, MilestoneChanged, TimeChanged]

const ISSUE = [IssueCreated, IssueUpdated, IssueClosed, IssueReopened, IssueMoved]

const MERGE_REQUEST = [
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
  kinds.some((kind) => hasListenerFor(ctx.db, kind, { project_id }))

const has = (events: Events, type: { readonly name: string }): boolean =>
  events.some((event) => event.name === type.name)

/** True if users can see a change. They cannot see a new position in a list. */
function isVisible(changes: PlanningChanges): boolean {
  return isVisibleChange(changes, hiddenColumns(changes.columns))
}

function issueAction(events: Events, changes: PlanningChanges): IssueAction | undefined {
  if (changes.isNew) return 'open'
  if (has(events, IssueClosed)) return 'close'
  if (has(events, IssueReopened)) return 'reopen'
  return isVisible(changes) ? 'update' : undefined
}

/** Records one event for all changes that a request made to an issue. */
function recordIssueEvent(ctx: Ctx, events: Events): void {
  const last = events.at(-1)!.payload
  const changes = combineChanges(events, { isNew: has(events, IssueCreated) })
  const action = issueAction(events, changes)
  const { actor_id } = last
  const event = action && issueEvent(ctx, (last.issue_id ?? last.id)!, { action, changes, actor_id })
  if (event && hasListener(ctx, last, [event.kind])) record(ctx, event, actor_id)
}

/** Returns the action of a merge request event: the most important of the changes. */
function mergeRequestAction(events: Events, changes: PlanningChanges): MergeRequestAction | undefined {
  if (changes.isNew) return 'open'
  if (has(events, MergeRequestMerged)) return 'merge'
  if (has(events, MergeRequestClosed)) return 'close'
  if (has(events, MergeRequestReopened)) return 'reopen'
  return approvalAction(events) ?? (oldHead(events) || isVisible(changes) ? 'update' : undefined)
}

const APPROVALS = new Set([MergeRequestApproved.name, MergeRequestUnapproved.name, ApprovalsReset.name])

/**
 * `approved` and `unapproved` if the approval completes or breaks the required ones, `approval` and `unapproval`
 * otherwise.
 */
function approvalAction(events: Events): MergeRequestAction | undefined {
  const approval = events.findLast((event) => event.name === MergeRequestApproved.name)
  if (approval) return approval.payload.is_approved ? 'approved' : 'approval'
  const unapproval = events.findLast((event) => event.name === MergeRequestUnapproved.name)
  if (unapproval) return unapproval.payload.was_approved ? 'unapproved' : 'unapproval'
  return has(events, ApprovalsReset) ? 'unapproved' : undefined
}

/** Returns the previous head. Undefined without new commits and for the first version. */
function oldHead(events: Events): string | undefined {
  const first = events.find((event) => event.name === MergeRequestPushed.name)?.payload
  return first?.old_head && first.old_head !== first.new_head ? first.old_head : undefined
}

/** Records one event for all changes that a request made to a merge request, and a separate event for approvals. */
async function recordMergeRequestEvents(ctx: Ctx, events: Events): Promise<void> {
  const groups = Map.groupBy(events, (event) => APPROVALS.has(event.name)).values()
  const hookEvents = await Promise.all([...groups].map((group) => eventOfChanges(ctx, group)))
  recordAll(ctx, hookEvents, events.at(-1)!.payload.actor_id)
}

async function eventOfChanges(ctx: Ctx, events: Events): Promise<HookEvent | null> {
  const { actor_id, merge_request_id, id } = events.at(-1)!.payload
  const changes = combineChanges(events, { isNew: has(events, MergeRequestCreated) })
  const action = mergeRequestAction(events, changes)
  if (!action) return null
  return mergeRequestEvent(ctx, (merge_request_id ?? id)!, {
    action,
    changes,
    actor_id,
    oldrev: oldHead(events),
  })
}

/** True if an event has visible changes and therefore needs a job. */
function hasVisibleChanges({ changed, changes }: Event): boolean {
  return changed === undefined || changed.includes('description') || isVisible({ columns: changes ?? {} })
}

/** False for the first version, and for a version with the same head. True for other events. */
function isNewHead({ old_head, new_head }: Event): boolean {
  return new_head === undefined || (old_head != null && old_head !== new_head)
}

type Award = EmojiInput & { readonly actor_id: number | null }

const hasEmojiListener = ({ project_id }: Award, { db }: Ctx): boolean =>
  project_id !== null && hasListenerFor(db, 'emoji', { project_id })

/** The key that keeps awards and revocations of a project in order. */
const awardKey = ({ project_id }: Award): string => `webhooks.award:${project_id}`

async function recordEmojiEvent(ctx: Ctx, award: Award, action: 'award' | 'revoke'): Promise<void> {
  const event = await emojiEvent(ctx, award, action)
  if (event) record(ctx, event, award.actor_id)
}

/** Notes by users, and emoji. */
const noteSubscribers: Subscription[] = [
  on(
    NoteCreated,
    'webhooks.note',
    async (ctx, { note_id, actor_id }) => {
      const event = await noteEvent(ctx, note_id)
      if (event && hasListenerFor(ctx.db, event.kind, event)) record(ctx, event, actor_id)
    },
    {
      only: ({ project_id, system }, { db }) =>
        project_id !== null &&
        !system &&
        (hasListenerFor(db, 'note', { project_id }) ||
          hasListenerFor(db, 'confidential_note', { project_id })),
    },
  ),
  on(AwardAdded, 'webhooks.award', (ctx, award) => recordEmojiEvent(ctx, award, 'award'), {
    only: hasEmojiListener,
    key: awardKey,
  }),
  on(AwardRemoved, 'webhooks.award_removed', (ctx, award) => recordEmojiEvent(ctx, award, 'revoke'), {
    only: hasEmojiListener,
    key: awardKey,
  }),
]

/** Events of issues, merge requests, notes and emoji. */
export const subscribers: Subscription[] = [
  ...together([...ISSUE, ...SHARED] as Kinds, 'webhooks.issue', recordIssueEvent, {
    gather: (event) => `issue:${event.issue_id ?? event.id}`,
    only: (event, ctx) =>
      event.kind !== 'MergeRequest' &&
      hasVisibleChanges(event) &&
      hasListener(ctx, event, ['issue', 'confidential_issue']),
  }),
  ...together([...MERGE_REQUEST, ...SHARED] as Kinds, 'webhooks.merge_request', recordMergeRequestEvents, {
    gather: (event) => `merge_request:${event.merge_request_id ?? event.id}`,
    only: (event, ctx) =>
      event.kind !== 'Issue' &&
      hasVisibleChanges(event) &&
      isNewHead(event) &&
      hasListener(ctx, event, ['merge_request']),
  }),
  ...noteSubscribers,
]
