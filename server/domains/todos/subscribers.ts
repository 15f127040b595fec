import { on, type Subscription } from '../../events/facts.ts'
import { AwardAdded } from '../discussions/award_emoji/events.ts'
import { PipelineChanged, PipelineCreated } from '../ci/events.ts'
import { AssigneesChanged, TodoMarked } from '../planning/issuables/events.ts'
import { IssueClosed, IssueCreated, IssueUpdated } from '../planning/issues/events.ts'
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
import { NoteCreated, NoteUpdated } from '../discussions/notes/events.ts'
import { ProjectUpdated } from '../projects/events.ts'
import { endRequest, tellOfRequest } from './access.ts'
import { hasDealtWith } from './done.ts'
import { removeLater } from './jobs.ts'
import { askForApproval, endBuildFailed, tellBuildFailed, tellUnmergeable } from './merging.ts'
import { addFor, markFor, tellCalled, tellOfNote } from './reactions.ts'
import { issuableSubject } from './subject.ts'

interface OfRequest {
  readonly merge_request_id: number
  readonly actor_id: number | null
}

/** One order for all that happens in a project: an item that a later fact makes is not done by an earlier one. */
const key = (fact: { project_id?: number | null | undefined; group_id?: number | undefined }): string =>
  fact.project_id == null ? `todos:group:${fact.group_id ?? 0}` : `todos:${fact.project_id}`

const request = (fact: OfRequest) => ({
  type: 'MergeRequest' as const,
  id: fact.merge_request_id,
  actor_id: fact.actor_id,
})
const issue = (fact: { issue_id: number; actor_id: number | null }) => ({
  type: 'Issue' as const,
  id: fact.issue_id,
  actor_id: fact.actor_id,
})

/** What makes to-do items (spec administration 7.2). */
const adding: Subscription[] = [
  on(
    AssigneesChanged,
    'todos.assigned',
    (ctx, fact) => {
      const by = { author_id: fact.actor_id, users: fact.added }
      addFor(ctx, issuableSubject(ctx, fact.kind, fact.id), 'assigned', by)
    },
    { key },
  ),
  on(
    ReviewersChanged,
    'todos.review_requested',
    (ctx, fact) => {
      const subject = issuableSubject(ctx, 'MergeRequest', fact.merge_request_id)
      addFor(ctx, subject, 'review_requested', { author_id: fact.actor_id, users: fact.added })
    },
    { key },
  ),
  on(IssueCreated, 'todos.called_by_issue', (ctx, fact) => tellCalled(ctx, issue(fact)), { key }),
  on(
    IssueUpdated,
    'todos.called_by_changed_issue',
    (ctx, fact) => tellCalled(ctx, issue(fact), fact.previous),
    { key },
  ),
  on(MergeRequestCreated, 'todos.called_by_request', (ctx, fact) => tellCalled(ctx, request(fact)), { key }),
  on(
    MergeRequestUpdated,
    'todos.called_by_changed_request',
    (ctx, fact) => tellCalled(ctx, request(fact), fact.previous),
    { key },
  ),
  on(NoteCreated, 'todos.note', (ctx, fact) => tellOfNote(ctx, fact, true), { key }),
  on(
    NoteUpdated,
    'todos.changed_note',
    async (ctx, fact) => {
      const says = fact.changed.some((name) => name === 'note' || name === 'internal')
      if (says) await tellOfNote(ctx, fact, false)
    },
    { key },
  ),
  on(
    ApproversAdded,
    'todos.approval_required',
    (ctx, fact) => askForApproval(ctx, fact.merge_request_id, fact.user_ids),
    { key },
  ),
  on(
    ApprovalsReset,
    'todos.approval_required_again',
    (ctx, fact) => askForApproval(ctx, fact.merge_request_id, fact.user_ids),
    { key },
  ),
  on(
    MergeabilityChanged,
    'todos.unmergeable',
    (ctx, fact) => {
      if (fact.merge_status === 'cannot_be_merged') tellUnmergeable(ctx, fact.merge_request_id)
    },
    { key },
  ),
  on(
    PipelineChanged,
    'todos.build_failed',
    (ctx, fact) => {
      if (fact.status === 'failed') tellBuildFailed(ctx, fact)
      else if (fact.previous_status === 'failed') endBuildFailed(ctx, fact)
    },
    { key },
  ),
  on(
    PipelineCreated,
    'todos.build_impossible',
    (ctx, fact) => {
      if (fact.status === 'failed') tellBuildFailed(ctx, fact)
    },
    { key },
  ),
  on(AccessRequested, 'todos.access_requested', tellOfRequest, { key }),
  on(
    TodoMarked,
    'todos.marked',
    (ctx, fact) => {
      if (fact.done) hasDealtWith(ctx, fact.kind, fact.id, fact.user_id)
      else markFor(ctx, fact)
    },
    { key },
  ),
]

/** What ends them (the second table of 7.2). */
const ending: Subscription[] = [
  on(
    AwardAdded,
    'todos.done_by_award',
    (ctx, fact) => hasDealtWith(ctx, fact.noteable_type, fact.noteable_id, fact.user_id),
    { key },
  ),
  on(
    IssueClosed,
    'todos.done_by_closing',
    (ctx, fact) => hasDealtWith(ctx, 'Issue', fact.issue_id, fact.actor_id),
    { key },
  ),
  ...[MergeRequestClosed, MergeRequestMerged].map((type) =>
    on(
      type as typeof MergeRequestClosed,
      `todos.done_by_${type.name}`,
      (ctx, fact) => hasDealtWith(ctx, 'MergeRequest', fact.merge_request_id, fact.actor_id),
      { key },
    ),
  ),
  on(
    MergeRequestPushed,
    'todos.done_by_push',
    (ctx, fact) => {
      // The first version comes with the merge request itself, not by a push.
      if (fact.old_head !== null) hasDealtWith(ctx, 'MergeRequest', fact.merge_request_id, fact.actor_id)
    },
    { key },
  ),
  on(
    MergeRequestApproved,
    'todos.done_by_approving',
    (ctx, fact) => hasDealtWith(ctx, 'MergeRequest', fact.merge_request_id, fact.user_id),
    { key },
  ),
  on(AccessRequestDenied, 'todos.access_denied', endRequest, { key }),
  on(MemberAdded, 'todos.access_granted', endRequest, { key }),
]

/** What may take the sight of things from people; looked at an hour later. */
const hiding: Subscription[] = [
  on(MemberRemoved, 'todos.member_removed', (ctx, { user_id }) => removeLater(ctx, { user_id })),
  on(IssueUpdated, 'todos.issue_hidden', (ctx, fact) => {
    if (fact.changed.includes('confidential')) removeLater(ctx, { project_id: fact.project_id })
  }),
  on(ProjectUpdated, 'todos.project_hidden', (ctx, { project_id, changed }) => {
    if (changed.some((name) => name === 'visibility' || name.endsWith('_access_level')))
      removeLater(ctx, { project_id })
  }),
]

export const subscribers: Subscription[] = [...adding, ...ending, ...hiding]
