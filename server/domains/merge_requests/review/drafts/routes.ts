import { z } from 'zod'

import type { Ctx } from '../../../../ctx.ts'
import { atLeastOne, endpoint } from '../../../../http/endpoint.ts'
import { entity, row } from '../../../../http/entity.ts'
import { bool, int, text } from '../../../../http/params.ts'
import { created, noContent, ok, page } from '../../../../http/returns.ts'
import { noteTarget, positionParam, lineCode, type Position } from '../../../discussions/index.ts'
import { PositionShape } from '../../../discussions/notes/entity.ts'
import { project, type Project } from '../../../projects/index.ts'
import { iidParam } from '../../params.ts'
import { abilities } from '../../policy.ts'
import { mergeRequestNoteable } from '../../service-notes.ts'
import { findMergeRequest } from '../../service.ts'
import { mergeRequestKind } from '../target.ts'
import {
  removeDraft,
  createDraft,
  findDrafts,
  getDraft,
  publishAll,
  publishOne,
  updateDraft,
  type DraftTarget,
} from './service.ts'
import type { DraftRow } from './store.ts'

function lineCodeOf(position: Position | null): string | null {
  if (position?.position_type !== 'text') return null
  return lineCode(position.new_path, position.old_line ?? 0, position.new_line ?? 0)
}

/** A draft note (spec core 5.5). */
const DraftNote = entity(
  'DraftNote',
  {
    id: z.int(),
    author_id: z.int(),
    merge_request_id: z.int(),
    resolve_discussion: z.boolean(),
    discussion_id: z.string().nullable(),
    note: z.string(),
    commit_id: z.string().nullable(),
    line_code: z.string().nullable(),
    position: PositionShape.nullable(),
  },
  row<DraftRow>(),
  (draft: DraftRow) => {
    const position = draft.position as Position | null
    return {
      line_code: lineCodeOf(position),
      position,
    }
  },
)

const PATH = '/projects/:id/merge_requests/:merge_request_iid/draft_notes'
const draft_note_id = int().describe('The ID of a draft note')
const MAX_BODY = 5 * 1024 * 1024
const can = abilities.comment_merge_request

const content = {
  note: text({ max: 2_000_000 }).describe('The content of the note, in Markdown'),
  resolve_discussion: bool().optional().describe('Resolve the thread when the draft note is published'),
  position: positionParam().optional().describe('The position in the diff'),
}

function targetOf(ctx: Ctx, owner: Project, iid: number): DraftTarget {
  const noteable = mergeRequestNoteable(findMergeRequest(ctx, owner, iid))
  return { kind: mergeRequestKind, project: owner, target: noteTarget(ctx, owner, noteable) }
}

/** Returns the target for writing. Throws 403 when its discussion is locked. */
function writingTargetOf(ctx: Ctx, owner: Project, iid: number): DraftTarget {
  const target = targetOf(ctx, owner, iid)
  mergeRequestKind.checkWrite?.(ctx, owner, target.target.noteable)
  return target
}

export const listDrafts = endpoint(`GET ${PATH}`, {
  summary: 'List all draft notes of the caller on a merge request',
  scope: project,
  can,
  params: iidParam,
  returns: page(DraftNote),
  run: ({ project: owner, params, paging, ...ctx }) =>
    findDrafts(ctx, targetOf(ctx, owner, params.merge_request_iid), paging),
})

export const showDraft = endpoint(`GET ${PATH}/:draft_note_id`, {
  summary: 'Get a single draft note',
  scope: project,
  can,
  params: { ...iidParam, draft_note_id },
  returns: ok(DraftNote),
  run: ({ project: owner, params, ...ctx }) =>
    getDraft(ctx, targetOf(ctx, owner, params.merge_request_iid), params.draft_note_id),
})

export const writeDraft = endpoint(`POST ${PATH}`, {
  summary: 'Create a draft note',
  scope: project,
  can,
  maxBody: MAX_BODY,
  params: {
    ...iidParam,
    ...content,
    in_reply_to_discussion_id: text({ max: 255, notEmpty: true })
      .optional()
      .describe('The ID of a discussion to reply to'),
    commit_id: text({ max: 64, notEmpty: true })
      .optional()
      .describe('The SHA of a commit of the merge request'),
  },
  fails: { 400: 'The text is empty, the diff does not have the position, or the thread does not exist' },
  returns: created(DraftNote),
  run: ({ project: owner, params, ...ctx }) =>
    createDraft(ctx, writingTargetOf(ctx, owner, params.merge_request_iid), params),
})

export const changeDraft = endpoint(`PUT ${PATH}/:draft_note_id`, {
  summary: 'Update a draft note',
  scope: project,
  can,
  maxBody: MAX_BODY,
  params: { ...iidParam, draft_note_id, ...content, note: content.note.optional() },
  parameterRules: [atLeastOne('note', 'position', 'resolve_discussion')],
  fails: { 400: 'The text is empty, or the diff does not have the position' },
  returns: ok(DraftNote),
  run: ({ project: owner, params, ...ctx }) =>
    updateDraft(ctx, writingTargetOf(ctx, owner, params.merge_request_iid), params.draft_note_id, params),
})

export const deleteDraft = endpoint(`DELETE ${PATH}/:draft_note_id`, {
  summary: 'Delete a draft note',
  scope: project,
  can,
  params: { ...iidParam, draft_note_id },
  returns: noContent,
  run: ({ project: owner, params, http, ...ctx }) => {
    const target = targetOf(ctx, owner, params.merge_request_iid)
    http.unmodifiedSince(getDraft(ctx, target, params.draft_note_id).updated_at)
    removeDraft(ctx, target, params.draft_note_id)
  },
})

export const publishDraft = endpoint(`PUT ${PATH}/:draft_note_id/publish`, {
  summary: 'Publish a draft note',
  scope: project,
  can,
  params: { ...iidParam, draft_note_id },
  fails: { 400: 'The merge request has the maximum number of notes' },
  returns: noContent,
  run: ({ project: owner, params, ...ctx }) =>
    publishOne(ctx, writingTargetOf(ctx, owner, params.merge_request_iid), params.draft_note_id),
})

export const publishDrafts = endpoint(`POST ${PATH}/bulk_publish`, {
  summary: 'Publish all pending draft notes',
  scope: project,
  can,
  params: iidParam,
  fails: { 400: 'The merge request has the maximum number of notes' },
  returns: noContent,
  run: ({ project: owner, params, ...ctx }) =>
    publishAll(ctx, writingTargetOf(ctx, owner, params.merge_request_iid)),
})
