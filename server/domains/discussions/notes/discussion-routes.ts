import { endpoint, exactlyOne, type Endpoint } from '../../../http/endpoint.ts'
import { as, oneOf } from '../../../http/entity.ts'
import { bool, int, text } from '../../../http/params.ts'
import { created, noContent, ok, page } from '../../../http/returns.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import { project } from '../../projects/index.ts'
import { answerIn, begin, edit, positionIn, writeComment } from './comment.ts'
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
  writing,
  COMMANDS_ALONE,
  showComment,
  targetOf,
  withChanges,
  WRITING,
  writingTargetOf,
  onlyWhere,
} from './note-routes.ts'
import { position } from './params.ts'
import { checkBody, deleteNote } from './service.ts'
import type { NoteableKind } from './types.ts'

const discussion_id = text({ max: 255 }).describe('The ID of a discussion')
const commit_id = text({ max: 64, notEmpty: true })
  .optional()
  .describe('SHA of the commit of the merge request to start the discussion on')
const note_id = int().describe('The ID of a note')

/**
 * Declares the endpoints for discussions on one kind of record (spec core 5.5), below `/projects/:id`. The domain of
 * the kind adds them to its routes.
 */
export function discussionEndpoints(kind: NoteableKind): Endpoint[] {
  return [
    ...readEndpoints(kind),
    ...writingEndpoints(kind),
    ...(kind.threadsResolve ? [resolving(kind)] : []),
  ]
}

function readEndpoints(kind: NoteableKind): Endpoint[] {
  const at = `/projects/:id${kind.path}/discussions` as const
  const list = endpoint(`GET ${at}`, {
    summary: `List the discussions of a ${kind.title}`,
    scope: project,
    can: kind.read,
    params: { ...kind.params },
    returns: page(Discussion),
    run: async (ctx) => {
      return findDiscussions(ctx, await targetOf(ctx, kind), ctx.paging)
    },
  })
  const show = endpoint(`GET ${at}/:discussion_id`, {
    summary: `Get a single discussion of a ${kind.title}`,
    scope: project,
    can: kind.read,
    params: { ...kind.params, discussion_id },
    returns: ok(Discussion),
    run: async (ctx) => {
      return getDiscussion(ctx, await targetOf(ctx, kind), ctx.params.discussion_id)
    },
  })
  const notes = endpoint(`GET ${at}/:discussion_id/notes`, {
    summary: `List the notes in a discussion of a ${kind.title}`,
    scope: project,
    can: kind.read,
    params: { ...kind.params, discussion_id },
    returns: page(Note),
    run: async (ctx) => {
      const all = notesOf(ctx, await targetOf(ctx, kind), ctx.params.discussion_id)
      if (all.length === 0) throw notFound('Notes')
      const { offset, limit } = ctx.paging
      return { rows: all.slice(offset, offset + limit), total: all.length }
    },
  })
  const note = endpoint(`GET ${at}/:discussion_id/notes/:note_id`, {
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
  const at = `/projects/:id${kind.path}/discussions` as const
  const common = { scope: project, can: kind.write, limit: WRITING, maxBody: MAX_NOTE_BODY }
  const start = endpoint(`POST ${at}`, {
    summary: `Create a discussion on a ${kind.title}`,
    ...common,
    params: {
      ...kind.params,
      ...writing,
      ...onlyWhere(kind.resolvePosition !== undefined, {
        position: position().optional().describe('The position in the diff'),
      }),
      ...onlyWhere(kind.checkCommit !== undefined, { commit_id }),
      ...kind.commandParams,
    },
    fails: { 400: 'The text is empty, the diff does not have the position, or no quick action applied' },
    returns: created(oneOf(Discussion, NoteCommands)),
    also: COMMANDS_ALONE,
    run: async (ctx) => {
      const target = await writingTargetOf(ctx, kind)
      const { body = '', created_at, position: given, commit_id: commit } = ctx.params
      checkBody(body)
      const at = { kind, project: ctx.project, target, given: ctx.params }
      const resolved = await positionIn(ctx, at, given, commit)
      const comment = await writeComment(ctx, at, body, (text) =>
        begin(ctx, at, { body: text, created_at, position: resolved, commit_id: commit }),
      )
      return showComment(ctx, comment, ([first]) => as(Discussion, [withChanges(first!, comment)]))
    },
  })
  const answer = endpoint(`POST ${at}/:discussion_id/notes`, {
    summary: `Add a note to a discussion of a ${kind.title}`,
    ...common,
    params: { ...kind.params, discussion_id, ...writing, ...kind.commandParams },
    fails: { 400: 'The text is empty, the discussion takes no replies, or no quick action applied' },
    returns: created(oneOf(Note, NoteCommands)),
    also: COMMANDS_ALONE,
    run: async (ctx) => {
      const { discussion_id: id, body = '', created_at } = ctx.params
      const target = await writingTargetOf(ctx, kind)
      const at = { kind, project: ctx.project, target, given: ctx.params }
      checkReply(ctx, kind, target, id)
      const comment = await writeComment(ctx, at, body, (text) =>
        answerIn(ctx, at, { discussion_id: id, body: text, created_at }),
      )
      return showComment(ctx, comment, (note) => as(Note, withChanges(note, comment)))
    },
  })
  const change = endpoint(`PUT ${at}/:discussion_id/notes/:note_id`, {
    summary: `Update or resolve a note in a discussion of a ${kind.title}`,
    scope: project,
    can: kind.write,
    maxBody: MAX_NOTE_BODY,
    params: {
      ...kind.params,
      discussion_id,
      note_id,
      body: writing.body.optional(),
      resolved: bool().optional().describe('Resolve (`true`) or unresolve (`false`) the discussion'),
    },
    together: [exactlyOne('body', 'resolved')],
    fails: { 400: 'The text is empty, or the note cannot be resolved' },
    returns: ok(Note),
    run: async (ctx) => {
      const target = await writingTargetOf(ctx, kind)
      const { discussion_id: id, note_id: noteId, body, resolved } = ctx.params
      const note = noteOfDiscussion(ctx, target, id, noteId)
      if (resolved === undefined) return edit(ctx, { kind, project: ctx.project, target }, note.id, { body })
      checkMayResolve(ctx, kind, ctx.project, target, getDiscussion(ctx, target, id))
      return resolveNote(ctx, target, note, resolved)
    },
  })
  const remove = endpoint(`DELETE ${at}/:discussion_id/notes/:note_id`, {
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

function resolving(kind: NoteableKind): Endpoint {
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
