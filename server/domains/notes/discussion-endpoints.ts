import { endpoint, exactlyOne, type Endpoint } from '../../http/endpoint.ts'
import { bool, int, text } from '../../http/params.ts'
import { created, noContent, ok, page } from '../../http/returns.ts'
import { fail, notFound } from '../../lib/fail.ts'
import { project } from '../projects/index.ts'
import { placeOf, type NoteContext } from './context.ts'
import {
  findDiscussions,
  getDiscussion,
  noteOfDiscussion,
  notesOf,
  reply,
  resolveDiscussion,
  resolveNote,
  startDiscussion,
} from './discussions.ts'
import { Discussion, Note } from './entity.ts'
import { MAX_NOTE_BODY, writing, WRITING } from './note-endpoints.ts'
import type { NoteableKind } from './noteable.ts'
import { position } from './params.ts'
import { checkBody, deleteNote, updateNote } from './service.ts'

const discussion_id = text({ max: 255 }).describe('Id of the discussion')
const note_id = int().describe('Id of the note')

/**
 * The endpoints of discussions under one kind of record (spec core 5.5), below `/projects/:id`. The kind's domain puts
 * them into its routes.
 */
export function discussionEndpoints(kind: NoteableKind): Endpoint[] {
  return [...reading(kind), ...writingEndpoints(kind), ...(kind.threadsResolve ? [resolving(kind)] : [])]
}

function reading(kind: NoteableKind): Endpoint[] {
  const at = `/projects/:id${kind.path}/discussions` as const
  const list = endpoint(`GET ${at}`, {
    summary: `List the discussions of a ${kind.title}`,
    scope: project,
    can: kind.read,
    params: { ...kind.params },
    returns: page(Discussion),
    run: async (context) => {
      const ctx = context as unknown as NoteContext
      return findDiscussions(ctx, await placeOf(ctx, kind), ctx.paging)
    },
  })
  const show = endpoint(`GET ${at}/:discussion_id`, {
    summary: `Get a discussion of a ${kind.title}`,
    scope: project,
    can: kind.read,
    params: { ...kind.params, discussion_id },
    returns: ok(Discussion),
    run: async (context) => {
      const ctx = context as unknown as NoteContext
      return getDiscussion(ctx, await placeOf(ctx, kind), ctx.params.discussion_id)
    },
  })
  const notes = endpoint(`GET ${at}/:discussion_id/notes`, {
    summary: `List the notes of a discussion of a ${kind.title}`,
    scope: project,
    can: kind.read,
    params: { ...kind.params, discussion_id },
    returns: page(Note),
    run: async (context) => {
      const ctx = context as unknown as NoteContext
      const all = notesOf(ctx, await placeOf(ctx, kind), ctx.params.discussion_id)
      if (all.length === 0) throw notFound('Notes')
      const { offset, limit } = ctx.paging
      return { rows: all.slice(offset, offset + limit), total: all.length }
    },
  })
  const note = endpoint(`GET ${at}/:discussion_id/notes/:note_id`, {
    summary: `Get a note of a discussion of a ${kind.title}`,
    scope: project,
    can: kind.read,
    params: { ...kind.params, discussion_id, note_id },
    returns: ok(Note),
    run: async (context) => {
      const ctx = context as unknown as NoteContext
      const { discussion_id: id, note_id: one } = ctx.params
      return noteOfDiscussion(ctx, await placeOf(ctx, kind), id, one)
    },
  })
  return [list, show, notes, note]
}

function writingEndpoints(kind: NoteableKind): Endpoint[] {
  const at = `/projects/:id${kind.path}/discussions` as const
  const common = { scope: project, can: kind.write, limit: WRITING, maxBody: MAX_NOTE_BODY }
  const start = endpoint(`POST ${at}`, {
    summary: `Begin a discussion under a ${kind.title}`,
    ...common,
    params: {
      ...kind.params,
      ...writing,
      ...(kind.place ? { position: position().optional().describe('Place in the diff') } : {}),
    },
    fails: { 400: 'The text is empty, or there is no such place in the diff' },
    returns: created(Discussion),
    run: async (context) => {
      const ctx = context as unknown as NoteContext
      const place = await placeOf(ctx, kind)
      const { body = '', created_at, position: given } = ctx.params
      checkBody(body)
      const found = given && (await kind.place?.(ctx, ctx.project, place.noteable, given))
      return startDiscussion(ctx, kind, place, { body, created_at, position: found })
    },
  })
  const answer = endpoint(`POST ${at}/:discussion_id/notes`, {
    summary: `Answer in a discussion of a ${kind.title}`,
    ...common,
    params: { ...kind.params, discussion_id, ...writing },
    fails: { 400: 'The text is empty, or the discussion takes no answers' },
    returns: created(Note),
    run: async (context) => {
      const ctx = context as unknown as NoteContext
      const { discussion_id: id, body = '', created_at } = ctx.params
      return reply(ctx, kind, await placeOf(ctx, kind), { discussion_id: id, body, created_at })
    },
  })
  const change = endpoint(`PUT ${at}/:discussion_id/notes/:note_id`, {
    summary: `Change a note of a discussion of a ${kind.title}, or resolve it`,
    scope: project,
    can: kind.write,
    maxBody: MAX_NOTE_BODY,
    params: {
      ...kind.params,
      discussion_id,
      note_id,
      body: writing.body.optional(),
      resolved: bool().optional().describe('Resolve the thread, or open it again'),
    },
    together: [exactlyOne('body', 'resolved')],
    fails: { 400: 'The text is empty, or the note cannot be resolved' },
    returns: ok(Note),
    run: async (context) => {
      const ctx = context as unknown as NoteContext
      const place = await placeOf(ctx, kind)
      const { discussion_id: id, note_id: one, body, resolved } = ctx.params
      const note = noteOfDiscussion(ctx, place, id, one)
      if (resolved !== undefined) return resolveNote(ctx, place, note, resolved)
      return updateNote(ctx, place, note.id, { body })
    },
  })
  const remove = endpoint(`DELETE ${at}/:discussion_id/notes/:note_id`, {
    summary: `Delete a note of a discussion of a ${kind.title}`,
    scope: project,
    can: kind.write,
    params: { ...kind.params, discussion_id, note_id },
    returns: noContent,
    run: async (context) => {
      const ctx = context as unknown as NoteContext
      const place = await placeOf(ctx, kind)
      const note = noteOfDiscussion(ctx, place, ctx.params.discussion_id, ctx.params.note_id)
      deleteNote(ctx, place, note.id, (updatedAt) => ctx.http.unmodifiedSince(updatedAt))
    },
  })
  return [start, answer, change, remove]
}

function resolving(kind: NoteableKind): Endpoint {
  return endpoint(`PUT /projects/:id${kind.path}/discussions/:discussion_id`, {
    summary: `Resolve a discussion of a ${kind.title}, or open it again`,
    scope: project,
    can: kind.write,
    params: {
      ...kind.params,
      discussion_id,
      resolved: bool().describe('Resolve the thread, or open it again'),
    },
    fails: { 400: 'The discussion cannot be resolved' },
    returns: ok(Discussion),
    run: async (context) => {
      const ctx = context as unknown as NoteContext
      const place = await placeOf(ctx, kind)
      const { discussion_id: id, resolved } = ctx.params
      const [first] = getDiscussion(ctx, place, id)
      if (first!.resolvable === 0) throw fail('bad_request', '400 Bad request - Discussion is not resolvable')
      return resolveDiscussion(ctx, place, id, resolved === true)
    },
  })
}
