import { on, type Subscription } from '../../events/publish.ts'
import { AwardAdded, NoteCreated, NoteUpdated } from '../discussions/events.ts'
import { PipelineChanged, PipelineCreated } from '../ci/events.ts'
import { AssigneesChanged, TodoMarked, IssueClosed, IssueCreated, IssueUpdated } from '../planning/events.ts'
import { AccessRequestDenied, AccessRequested, MemberAdded, MemberRemoved } from '../members/events.ts'
import {
  ApprovalsReset,
  ApproversAdded,
  MergeabilityChanged,
  MergeRequestApproved,
  MergeRequestClosed,
  MergeRequestCreated,
  MergeRequestMerged,
  MergeRequestPushed,
  MergeRequestUpdated,
  ReviewersChanged,
} from '../merge_requests/events.ts'
import { ProjectUpdated } from '../projects/events.ts'
import {
  finishAccessRequest,
  remindOfAccessRequest,
  remindApprovers,
  finishFailedPipeline,
  remindOfFailedPipeline,
  remindOfConflict,
  addFor,
  markFor,
  remindMentioned,
  remindOfNote,
} from './service-reminders.ts'
import { finishIssuable, issuableSubject, removeLater } from './service-items.ts'

interface RequestEvent {
  readonly merge_request_id: number
  readonly actor_id: number | null
}

/** Jobs with the same key run in order, so that an earlier event cannot finish an item that a later event adds. */
const key = (event: { project_id?: number | null | undefined; group_id?: number | undefined }): string =>
  event.project_id == null ? `todos:group:${event.group_id ?? 0}` : `todos:${event.project_id}`

const request = (event: RequestEvent) => ({
  type: 'MergeRequest' as const,
  id: event.merge_request_id,
  actor_id: event.actor_id,
})
const issue = (event: { issue_id: number; actor_id: number | null }) => ({
  type: 'Issue' as const,
  id: event.issue_id,
  actor_id: event.actor_id,
})

/** Events that add to-do items (spec administration 7.2). */
const adding: Subscription[] = [
  on(
    AssigneesChanged,
    'todos.assigned',
    (ctx, event) => {
      const by = { author_id: event.actor_id, users: event.added }
      addFor(ctx, issuableSubject(ctx, event.kind, event.id), 'assigned', by)
    },
    { key, only: (event) => event.added.length > 0 },
  ),
  on(
    ReviewersChanged,
    'todos.review_requested',
    (ctx, event) => {
      const subject = issuableSubject(ctx, 'MergeRequest', event.merge_request_id)
      addFor(ctx, subject, 'review_requested', { author_id: event.actor_id, users: event.added })
    },
    { key, only: (event) => event.added.length > 0 },
  ),
  on(IssueCreated, 'todos.called_by_issue', (ctx, event) => remindMentioned(ctx, issue(event)), { key }),
  on(
    IssueUpdated,
    'todos.called_by_changed_issue',
    (ctx, event) => remindMentioned(ctx, issue(event), event.previous),
    { key },
  ),
  on(MergeRequestCreated, 'todos.called_by_request', (ctx, event) => remindMentioned(ctx, request(event)), {
    key,
  }),
  on(
    MergeRequestUpdated,
    'todos.called_by_changed_request',
    (ctx, event) => remindMentioned(ctx, request(event), event.previous),
    { key },
  ),
  on(NoteCreated, 'todos.note', (ctx, event) => remindOfNote(ctx, event, true), {
    key,
    only: (event) => !event.system,
  }),
  on(NoteUpdated, 'todos.changed_note', (ctx, event) => remindOfNote(ctx, event, false), {
    key,
    only: (event) => !event.system && event.changed.some((name) => name === 'note' || name === 'internal'),
  }),
  on(
    ApproversAdded,
    'todos.approval_required',
    (ctx, event) => remindApprovers(ctx, event.merge_request_id, event.user_ids),
    { key },
  ),
  on(
    ApprovalsReset,
    'todos.approval_required_again',
    (ctx, event) => remindApprovers(ctx, event.merge_request_id, event.user_ids),
    { key },
  ),
  on(
    MergeabilityChanged,
    'todos.unmergeable',
    (ctx, event) => remindOfConflict(ctx, event.merge_request_id),
    { key, only: (event) => event.merge_status === 'cannot_be_merged' },
  ),
  on(
    PipelineChanged,
    'todos.build_failed',
    (ctx, event) => {
      if (event.status === 'failed') remindOfFailedPipeline(ctx, event)
      else finishFailedPipeline(ctx, event)
    },
    { key, only: (event) => event.status === 'failed' || event.previous_status === 'failed' },
  ),
  on(PipelineCreated, 'todos.build_impossible', (ctx, event) => remindOfFailedPipeline(ctx, event), {
    key,
    only: (event) => event.status === 'failed',
  }),
  on(AccessRequested, 'todos.access_requested', remindOfAccessRequest, { key }),
  on(
    TodoMarked,
    'todos.marked',
    (ctx, event) => {
      if (event.done) finishIssuable(ctx, event.kind, event.id, event.user_id)
      else markFor(ctx, event)
    },
    { key },
  ),
]

/** Events that finish to-do items (the second table of 7.2). */
const ending: Subscription[] = [
  on(
    AwardAdded,
    'todos.done_by_award',
    (ctx, event) => finishIssuable(ctx, event.noteable_type, event.noteable_id, event.user_id),
    { key },
  ),
  on(
    IssueClosed,
    'todos.done_by_closing',
    (ctx, event) => finishIssuable(ctx, 'Issue', event.issue_id, event.actor_id),
    { key },
  ),
  ...[MergeRequestClosed, MergeRequestMerged].map((type) =>
    on(
      type as typeof MergeRequestClosed,
      `todos.done_by_${type.name}`,
      (ctx, event) => finishIssuable(ctx, 'MergeRequest', event.merge_request_id, event.actor_id),
      { key },
    ),
  ),
  on(
    MergeRequestPushed,
    'todos.done_by_push',
    (ctx, event) => finishIssuable(ctx, 'MergeRequest', event.merge_request_id, event.actor_id),
    // The first version belongs to the creation of the merge request, not to a push.
    { key, only: (event) => event.old_head !== null },
  ),
  on(
    MergeRequestApproved,
    'todos.done_by_approving',
    (ctx, event) => finishIssuable(ctx, 'MergeRequest', event.merge_request_id, event.user_id),
    { key },
  ),
  on(AccessRequestDenied, 'todos.access_denied', finishAccessRequest, { key }),
  on(MemberAdded, 'todos.access_granted', finishAccessRequest, { key }),
]

/** Events after which users may see fewer subjects. A job checks the items an hour later. */
const hiding: Subscription[] = [
  on(MemberRemoved, 'todos.member_removed', (ctx, { user_id }) => removeLater(ctx, { user_id })),
  on(IssueUpdated, 'todos.issue_hidden', (ctx, { project_id }) => removeLater(ctx, { project_id }), {
    only: ({ changed }) => changed.includes('confidential'),
  }),
  on(ProjectUpdated, 'todos.project_hidden', (ctx, { project_id }) => removeLater(ctx, { project_id }), {
    only: ({ changed }) => changed.some((name) => name === 'visibility' || name.endsWith('_access_level')),
  }),
]

export const subscribers: Subscription[] = [...adding, ...ending, ...hiding]
