import type { Ctx } from '../../../../ctx.ts'
import { atLeastOne, endpoint } from '../../../../http/endpoint.ts'
import { bool, int, text } from '../../../../http/params.ts'
import { created, noContent, ok, page } from '../../../../http/returns.ts'
import { noteTarget, positionParam } from '../../../discussions/index.ts'
import { project, type Project } from '../../../projects/index.ts'
import { iidParam } from '../../params.ts'
import { abilities } from '../../policy.ts'
import { mergeRequestNoteable } from '../../service-notes.ts'
import { findMergeRequest } from '../../service.ts'
import { mergeRequestKind } from '../kind.ts'
import { DraftNote } from './entity.ts'
import {
  discard,
  draft,
  findDrafts,
  getDraft,
  publishAll,
  publishOne,
  redraft,
  type DraftTarget,
} from './service.ts'

const AT = '/projects/:id/merge_requests/:merge_request_iid/draft_notes'
const draft_note_id = int().describe('Id of the draft')
const MAX_BODY = 5 * 1024 * 1024
const can = abilities.comment_merge_request

const content = {
  note: text({ max: 2_000_000 }).describe('Text of the note, in Markdown'),
  resolve_discussion: bool().optional().describe('Resolve the thread when the draft is published'),
  position: positionParam().optional().describe('Place in the diff'),
}

function targetOf(ctx: Ctx, owner: Project, iid: number): DraftTarget {
  const noteable = mergeRequestNoteable(findMergeRequest(ctx, owner, iid))
  return { kind: mergeRequestKind, project: owner, target: noteTarget(ctx, owner, noteable) }
}

/** The same to write there: a locked discussion takes no drafts of others either. */
function writingTargetOf(ctx: Ctx, owner: Project, iid: number): DraftTarget {
  const target = targetOf(ctx, owner, iid)
  mergeRequestKind.checkWrite?.(ctx, owner, target.target.noteable)
  return target
}

export const listDrafts = endpoint(`GET ${AT}`, {
  summary: 'List your drafts under a merge request',
  scope: project,
  can,
  params: iidParam,
  returns: page(DraftNote),
  run: ({ project: owner, params, paging, ...ctx }) =>
    findDrafts(ctx, targetOf(ctx, owner, params.merge_request_iid), paging),
})

export const showDraft = endpoint(`GET ${AT}/:draft_note_id`, {
  summary: 'Get a draft of yours',
  scope: project,
  can,
  params: { ...iidParam, draft_note_id },
  returns: ok(DraftNote),
  run: ({ project: owner, params, ...ctx }) =>
    getDraft(ctx, targetOf(ctx, owner, params.merge_request_iid), params.draft_note_id),
})

export const writeDraft = endpoint(`POST ${AT}`, {
  summary: 'Draft a note under a merge request',
  scope: project,
  can,
  maxBody: MAX_BODY,
  params: {
    ...iidParam,
    ...content,
    in_reply_to_discussion_id: text({ max: 255, notEmpty: true })
      .optional()
      .describe('Discussion that it answers'),
    commit_id: text({ max: 64, notEmpty: true })
      .optional()
      .describe('Commit of the merge request that it is about'),
  },
  fails: { 400: 'The text is empty, or there is no such place in the diff or no such thread' },
  returns: created(DraftNote),
  run: ({ project: owner, params, ...ctx }) =>
    draft(ctx, writingTargetOf(ctx, owner, params.merge_request_iid), params),
})

export const changeDraft = endpoint(`PUT ${AT}/:draft_note_id`, {
  summary: 'Change a draft of yours',
  scope: project,
  can,
  maxBody: MAX_BODY,
  params: { ...iidParam, draft_note_id, ...content, note: content.note.optional() },
  together: [atLeastOne('note', 'position', 'resolve_discussion')],
  fails: { 400: 'The text is empty, or there is no such place in the diff' },
  returns: ok(DraftNote),
  run: ({ project: owner, params, ...ctx }) =>
    redraft(ctx, writingTargetOf(ctx, owner, params.merge_request_iid), params.draft_note_id, params),
})

export const deleteDraft = endpoint(`DELETE ${AT}/:draft_note_id`, {
  summary: 'Throw a draft of yours away',
  scope: project,
  can,
  params: { ...iidParam, draft_note_id },
  returns: noContent,
  run: ({ project: owner, params, http, ...ctx }) => {
    const target = targetOf(ctx, owner, params.merge_request_iid)
    http.unmodifiedSince(getDraft(ctx, target, params.draft_note_id).updated_at)
    discard(ctx, target, params.draft_note_id)
  },
})

export const publishDraft = endpoint(`PUT ${AT}/:draft_note_id/publish`, {
  summary: 'Publish a draft of yours',
  scope: project,
  can,
  params: { ...iidParam, draft_note_id },
  fails: { 400: 'The merge request takes no more notes' },
  returns: noContent,
  run: ({ project: owner, params, ...ctx }) =>
    publishOne(ctx, writingTargetOf(ctx, owner, params.merge_request_iid), params.draft_note_id),
})

export const publishDrafts = endpoint(`POST ${AT}/bulk_publish`, {
  summary: 'Publish all your drafts under a merge request as a review',
  scope: project,
  can,
  params: iidParam,
  fails: { 400: 'The merge request takes no more notes' },
  returns: noContent,
  run: ({ project: owner, params, ...ctx }) =>
    publishAll(ctx, writingTargetOf(ctx, owner, params.merge_request_iid)),
})
