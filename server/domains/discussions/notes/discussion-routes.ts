import { endpoint, exactlyOne, type Endpoint } from '../../../http/endpoint.ts'
import { as, oneOf } from '../../../http/entity.ts'
import { bool, int, paramsIf, text } from '../../../http/params.ts'
import { created, noContent, ok, page } from '../../../http/returns.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import { project } from '../../projects/index.ts'
import { replyWithSuggestions, startThread, editNote, positionIn, writeComment } from './comment.ts'
import {
  checkMayResolve,
  checkReply,
  findDiscussions,
  getDiscussion,
  noteOfDiscussion,
  notesOf,
  resolveDiscussion,
  resolveNote,
} from './discussions.ts'
import { Discussion, Note, NoteCommands } from './entity.ts'
import {
  MAX_NOTE_BODY,
  noteParams,
  ONLY_COMMANDS,
  showComment,
  targetOf,
  withChanges,
  WRITE_LIMIT,
  writingTargetOf,
} from './note-routes.ts'
import { position } from './params.ts'
import { checkBody, deleteNote } from './service.ts'
import type { NoteableKind } from './types.ts'

const discussion_id = text({ max: 255 }).describe('The ID of a discussion')
const commit_id = text({ max: 64, notEmpty: true })
  .optional()
  .describe('The SHA of the commit of the merge request to start the discussion on')
const note_id = int().describe('The ID of a note')

/**
 * Declares the endpoints for discussions on one kind of record (spec core 5.5), below `/projects/:id`. The domain of
 * the kind adds them to its routes.
 */
export function discussionEndpoints(kind: NoteableKind): Endpoint[] {
  return [
    ...readEndpoints(kind),
    ...writingEndpoints(kind),
    ...(kind.threadsResolve ? [resolveEndpoint(kind)] : []),
  ]
}

function readEndpoints(kind: NoteableKind): Endpoint[] {
  const base = `/projects/:id${kind.path}/discussions` as const
  const list = endpoint(`GET ${base}`, {
    summary: `List the discussions of a ${kind.title}`,
    scope: project,
    can: kind.read,
    params: { ...kind.params },
    returns: page(Discussion),
    run: async (ctx) => {
      return findDiscussions(ctx, await targetOf(ctx, kind), ctx.paging)
    },
  })
  const show = endpoint(`GET ${base}/:discussion_id`, {
    summary: `Get a single discussion of a ${kind.title}`,
    scope: project,
    can: kind.read,
    params: { ...kind.params, discussion_id },
    returns: ok(Discussion),
    run: async (ctx) => {
      return getDiscussion(ctx, await targetOf(ctx, kind), ctx.params.discussion_id)
    },
  })
  const notes = endpoint(`GET ${base}/:discussion_id/notes`, {
    summary: `List the notes in a discussion of a ${kind.title}`,
    scope: project,
    can: kind.read,
    params: { ...kind.params, discussion_id },
    returns: page(Note),
    run: async (ctx) => {
      const rows = notesOf(ctx, await targetOf(ctx, kind), ctx.params.discussion_id)
      if (rows.length === 0) throw notFound('Notes')
      const { offset, limit } = ctx.paging
      return { rows: rows.slice(offset, offset + limit), total: rows.length }
    },
  })
  const note = endpoint(`GET ${base}/:discussion_id/notes/:note_id`, {
    summary: `Get a single note in a discussion of a ${kind.title}`,
    scope: project,
    can: kind.read,
    params: { ...kind.params, discussion_id, note_id },
    returns: ok(Note),
    run: async (ctx) => {
      const { discussion_id: id, note_id: noteId } = ctx.params
      return noteOfDiscussion(ctx, await targetOf(ctx, kind), id, noteId)
    },
  })
  return [list, show, notes, note]
}

function writingEndpoints(kind: NoteableKind): Endpoint[] {
  const base = `/projects/:id${kind.path}/discussions` as const
  const common = { scope: project, can: kind.write, limit: WRITE_LIMIT, maxBody: MAX_NOTE_BODY }
  const start = endpoint(`POST ${base}`, {
    summary: `Create a discussion on a ${kind.title}`,
    ...common,
    params: {
      ...kind.params,
      ...noteParams,
      ...paramsIf(kind.resolvePosition !== undefined, {
        position: position().optional().describe('The position in the diff'),
      }),
      ...paramsIf(kind.checkCommit !== undefined, { commit_id }),
      ...kind.commandParams,
    },
    fails: { 400: 'The text is empty, the diff does not have the position, or no quick action applied' },
    returns: created(oneOf(Discussion, NoteCommands)),
    otherStatuses: ONLY_COMMANDS,
    run: async (ctx) => {
      const target = await writingTargetOf(ctx, kind)
      const { body = '', created_at, position: requestedPosition, commit_id: commit } = ctx.params
      checkBody(body)
      const commentTarget = { kind, project: ctx.project, target, params: ctx.params }
      const resolvedPosition = await positionIn(ctx, commentTarget, requestedPosition, commit)
      const comment = await writeComment(ctx, commentTarget, body, (text) =>
        startThread(ctx, commentTarget, {
          body: text,
          created_at,
          position: resolvedPosition,
          commit_id: commit,
        }),
      )
      return showComment(ctx, comment, ([first]) => as(Discussion, [withChanges(first!, comment)]))
    },
  })
  const answer = endpoint(`POST ${base}/:discussion_id/notes`, {
    summary: `Add a note to a discussion of a ${kind.title}`,
    ...common,
    params: { ...kind.params, discussion_id, ...noteParams, ...kind.commandParams },
    fails: { 400: 'The text is empty, the discussion does not accept replies, or no quick action applied' },
    returns: created(oneOf(Note, NoteCommands)),
    otherStatuses: ONLY_COMMANDS,
    run: async (ctx) => {
      const { discussion_id: id, body = '', created_at } = ctx.params
      const target = await writingTargetOf(ctx, kind)
      const commentTarget = { kind, project: ctx.project, target, params: ctx.params }
      checkReply(ctx, kind, target, id)
      const comment = await writeComment(ctx, commentTarget, body, (text) =>
        replyWithSuggestions(ctx, commentTarget, { discussion_id: id, body: text, created_at }),
      )
      return showComment(ctx, comment, (note) => as(Note, withChanges(note, comment)))
    },
  })
  const change = endpoint(`PUT ${base}/:discussion_id/notes/:note_id`, {
    summary: `Update or resolve a note in a discussion of a ${kind.title}`,
    scope: project,
    can: kind.write,
    maxBody: MAX_NOTE_BODY,
    params: {
      ...kind.params,
      discussion_id,
      note_id,
      body: noteParams.body.optional(),
      resolved: bool().optional().describe('Resolve (`true`) or unresolve (`false`) the discussion'),
    },
    parameterRules: [exactlyOne('body', 'resolved')],
    fails: { 400: 'The text is empty, or the note cannot be resolved' },
    returns: ok(Note),
    run: async (ctx) => {
      const target = await writingTargetOf(ctx, kind)
      const { discussion_id: id, note_id: noteId, body, resolved } = ctx.params
      const note = noteOfDiscussion(ctx, target, id, noteId)
      if (resolved === undefined)
        return editNote(ctx, { kind, project: ctx.project, target }, note.id, { body })
      checkMayResolve(ctx, kind, ctx.project, target, getDiscussion(ctx, target, id))
      return resolveNote(ctx, target, note, resolved)
    },
  })
  const remove = endpoint(`DELETE ${base}/:discussion_id/notes/:note_id`, {
    summary: `Delete a note in a discussion of a ${kind.title}`,
    scope: project,
    can: kind.write,
    params: { ...kind.params, discussion_id, note_id },
    returns: noContent,
    run: async (ctx) => {
      const target = await writingTargetOf(ctx, kind)
      const note = noteOfDiscussion(ctx, target, ctx.params.discussion_id, ctx.params.note_id)
      deleteNote(ctx, target, note.id, (updatedAt) => ctx.http.unmodifiedSince(updatedAt))
    },
  })
  return [start, answer, change, remove]
}

function resolveEndpoint(kind: NoteableKind): Endpoint {
  return endpoint(`PUT /projects/:id${kind.path}/discussions/:discussion_id`, {
    summary: `Resolve or unresolve a discussion of a ${kind.title}`,
    scope: project,
    can: kind.write,
    params: {
      ...kind.params,
      discussion_id,
      resolved: bool().describe('Resolve (`true`) or unresolve (`false`) the discussion'),
    },
    fails: { 400: 'The discussion cannot be resolved' },
    returns: ok(Discussion),
    run: async (ctx) => {
      const target = await writingTargetOf(ctx, kind)
      const { discussion_id: id, resolved } = ctx.params
      const notes = getDiscussion(ctx, target, id)
      if (!notes[0]!.resolvable) throw fail('bad_request', '400 Bad request - Discussion is not resolvable')
      checkMayResolve(ctx, kind, ctx.project, target, notes)
      return resolveDiscussion(ctx, target, id, resolved === true)
    },
  })
}
