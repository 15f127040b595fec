import type { Ctx } from '../../ctx.ts'
import type { EventType } from '../../events/event.ts'
import { type PublishedEvent, type Subscription, together } from '../../events/publish.ts'
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
import { noteSubscribers } from './note-subscribers.ts'
import { type IssueAction, issueEvent } from './payloads/issue.ts'
import { type MergeRequestAction, mergeRequestEvent } from './payloads/merge-request.ts'
import { untoldColumns } from './payloads/planning-changes.ts'
import {
  isVisibleChange,
  planChanges,
  type PlanChanges,
  type PlanningEvent,
} from './payloads/planning-events.ts'
import type { HookEvent, Kind } from './recording/hook-event.ts'
import { isListened, record } from './recording/record.ts'
import { tell } from './tell.ts'

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

const has = (facts: Events, type: { readonly name: string }): boolean =>
  facts.some((fact) => fact.name === type.name)

/** Whether a change shows; a new order, or a link to another issue, is no news. */
function shows(changes: PlanChanges): boolean {
  return isVisibleChange(changes, untoldColumns(changes.columns))
}

function issueAction(facts: Events, changes: PlanChanges): IssueAction | undefined {
  if (changes.isNew) return 'open'
  if (has(facts, IssueClosed)) return 'close'
  if (has(facts, IssueReopened)) return 'reopen'
  return shows(changes) ? 'update' : undefined
}

/** Tells once of all that one request did to an issue. */
function tellIssue(ctx: Ctx, facts: Events): void {
  const last = facts.at(-1)!.payload
  const changes = planChanges(facts, { isNew: has(facts, IssueCreated) })
  const action = issueAction(facts, changes)
  const { actor_id } = last
  const event = action && issueEvent(ctx, (last.issue_id ?? last.id)!, { action, changes, actor_id })
  if (event && hasListener(ctx, last, [event.kind])) record(ctx, event, actor_id)
}

/** What happened, by the most telling of the events. */
function requestAction(facts: Events, changes: PlanChanges): MergeRequestAction | undefined {
  if (changes.isNew) return 'open'
  if (has(facts, MergeRequestMerged)) return 'merge'
  if (has(facts, MergeRequestClosed)) return 'close'
  if (has(facts, MergeRequestReopened)) return 'reopen'
  return approvalAction(facts) ?? (oldHead(facts) || shows(changes) ? 'update' : undefined)
}

const APPROVALS = new Set([MergeRequestApproved.name, MergeRequestUnapproved.name, ApprovalsReset.name])

/** One approval of several, or the one that completes them; and back. */
function approvalAction(facts: Events): MergeRequestAction | undefined {
  const given = facts.findLast((fact) => fact.name === MergeRequestApproved.name)
  if (given) return given.payload.is_approved ? 'approved' : 'approval'
  const taken = facts.findLast((fact) => fact.name === MergeRequestUnapproved.name)
  if (taken) return taken.payload.was_approved ? 'unapproved' : 'unapproval'
  return has(facts, ApprovalsReset) ? 'unapproved' : undefined
}

/** The head before new commits came; undefined without any, and for the first version. */
function oldHead(facts: Events): string | undefined {
  const first = facts.find((fact) => fact.name === MergeRequestPushed.name)?.payload
  return first?.old_head && first.old_head !== first.new_head ? first.old_head : undefined
}

/** Tells once of all that one request did to a merge request, approvals aside: those are events of their own. */
async function tellRequest(ctx: Ctx, facts: Events): Promise<void> {
  const parts = Map.groupBy(facts, (fact) => APPROVALS.has(fact.name)).values()
  const events = await Promise.all([...parts].map((part) => requestEvent(ctx, part)))
  tell(ctx, events, facts.at(-1)!.payload.actor_id)
}

async function requestEvent(ctx: Ctx, facts: Events): Promise<HookEvent | null> {
  const { actor_id, merge_request_id, id } = facts.at(-1)!.payload
  const changes = planChanges(facts, { isNew: has(facts, MergeRequestCreated) })
  const action = requestAction(facts, changes)
  if (!action) return null
  return mergeRequestEvent(ctx, (merge_request_id ?? id)!, {
    action,
    changes,
    actor_id,
    oldrev: oldHead(facts),
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

/** Events of planning: issues, merge requests, and what is said about them. */
export const subscribers: Subscription[] = [
  ...together([...ISSUE, ...SHARED] as Kinds, 'webhooks.issue', tellIssue, {
    gather: (fact) => `issue:${fact.issue_id ?? fact.id}`,
    only: (fact, ctx) =>
      fact.kind !== 'MergeRequest' && isNews(fact) && hasListener(ctx, fact, ['issue', 'confidential_issue']),
  }),
  ...together([...REQUEST, ...SHARED] as Kinds, 'webhooks.merge_request', tellRequest, {
    gather: (fact) => `merge_request:${fact.merge_request_id ?? fact.id}`,
    only: (fact, ctx) =>
      fact.kind !== 'Issue' && isNews(fact) && isNewHead(fact) && hasListener(ctx, fact, ['merge_request']),
  }),
  ...noteSubscribers,
]
