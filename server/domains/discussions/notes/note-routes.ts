import { atLeastOne, endpoint, type Endpoint } from '../../../http/endpoint.ts'
import { as, oneOf } from '../../../http/entity.ts'
import { bool, choice, int, text, timestamp } from '../../../http/params.ts'
import { created, noContent, ok, page } from '../../../http/returns.ts'
import { fail } from '../../../lib/fail.ts'
import { project } from '../../projects/index.ts'
import { edit, say } from './comment.ts'
import { Note, NoteCommands } from './entity.ts'
import {
  COMMANDS_ALONE,
  showSaid,
  targetOf,
  withChanges,
  WRITING,
  writingTargetOf,
  onlyWhere,
} from './routes-context.ts'
import { createNote, deleteNote, findNotes, getNote } from './service.ts'
import type { NoteableKind } from './types.ts'

/** Largest request body with a note, bytes: a note may have a million characters of several bytes each. */
export const MAX_NOTE_BODY = 5 * 1024 * 1024

/** Parameters of every text that people write. */
export const writing = {
  body: text({ max: 2_000_000 }).describe('The content of the note, in Markdown'),
  created_at: timestamp()
    .optional()
    .describe('Time of creation, ISO 8601. Requires the right to update the notes of others'),
}

const internals = {
  internal: bool()
    .optional()
    .describe('Make the note visible only to project members with at least the Reporter role'),
  confidential: bool().optional().describe('Deprecated alias of `internal`'),
}

/** Returns whether the note is to be internal. Throws 403 for callers who may not see internal notes. */
function internalOf(
  kind: NoteableKind,
  params: { readonly internal?: boolean | undefined; readonly confidential?: boolean | undefined },
  seesInternal: boolean,
): boolean | undefined {
  const wanted = kind.notesCanBeInternal ? (params.internal ?? params.confidential) : undefined
  if (wanted && !seesInternal) throw fail('forbidden')
  return wanted
}

/**
 * Declares the endpoints for notes on one kind of record (spec core 5.5), below `/projects/:id`. The domain of the kind
 * adds them to its routes.
 */
export function noteEndpoints(kind: NoteableKind): Endpoint[] {
  const at = `/projects/:id${kind.path}/notes` as const
  const note_id = int().describe('The ID of a note')
  const common = { scope: project, limit: WRITING, maxBody: MAX_NOTE_BODY }
  const list = endpoint(`GET ${at}`, {
    summary: `List the notes of a ${kind.title}`,
    scope: project,
    can: kind.read,
    params: {
      ...kind.params,
      activity_filter: choice('all_notes', 'only_comments', 'only_activity')
        .optional()
        .describe('Filter by all notes, comments of people, or system notes'),
    },
    returns: page(Note, { order_by: ['created_at', 'updated_at'], sort: 'desc' }),
    run: async (ctx) => {
      const { limit, offset, sort, order_by } = ctx.paging
      return findNotes(ctx, await targetOf(ctx, kind), {
        limit,
        offset,
        sort,
        order_by: order_by as 'created_at' | 'updated_at',
        activity: ctx.params.activity_filter,
      })
    },
  })
  const show = endpoint(`GET ${at}/:note_id`, {
    summary: `Get a single note of a ${kind.title}`,
    scope: project,
    can: kind.read,
    params: { ...kind.params, note_id },
    returns: ok(Note),
    run: async (ctx) => {
      return getNote(ctx, await targetOf(ctx, kind), ctx.params.note_id)
    },
  })
  const create = endpoint(`POST ${at}`, {
    summary: `Create a note on a ${kind.title}`,
    ...common,
    can: kind.write,
    params: {
      ...kind.params,
      ...writing,
      ...onlyWhere(kind.notesCanBeInternal, internals),
      ...kind.commandParams,
    },
    fails: { 400: 'The text is empty or too long, or no quick action applied' },
    returns: created(oneOf(Note, NoteCommands)),
    also: COMMANDS_ALONE,
    run: async (ctx) => {
      const target = await writingTargetOf(ctx, kind)
      const { body = '', created_at } = ctx.params
      const internal = internalOf(kind, ctx.params, target.seesInternal)
      const at = { kind, project: ctx.project, target, given: ctx.params }
      const said = await say(ctx, at, body, (text) =>
        createNote(ctx, target, { body: text, created_at, internal }),
      )
      return showSaid(ctx, said, (note) => as(Note, withChanges(note, said)))
    },
  })
  const change = endpoint(`PUT ${at}/:note_id`, {
    summary: `Update a note of a ${kind.title}`,
    scope: project,
    maxBody: MAX_NOTE_BODY,
    can: kind.write,
    params: {
      ...kind.params,
      note_id,
      body: writing.body.optional(),
      ...onlyWhere(kind.notesCanBeInternal, internals),
    },
    together: [atLeastOne('body', ...(kind.notesCanBeInternal ? Object.keys(internals) : []))],
    fails: { 400: 'The text is empty or too long' },
    returns: ok(Note),
    run: async (ctx) => {
      const target = await writingTargetOf(ctx, kind)
      const internal = internalOf(kind, ctx.params, target.seesInternal)
      return edit(ctx, { kind, project: ctx.project, target }, ctx.params.note_id, {
        ...ctx.params,
        internal,
      })
    },
  })
  const remove = endpoint(`DELETE ${at}/:note_id`, {
    summary: `Delete a note of a ${kind.title}`,
    scope: project,
    can: kind.write,
    params: { ...kind.params, note_id },
    returns: noContent,
    run: async (ctx) => {
      const before = (updatedAt: string) => ctx.http.unmodifiedSince(updatedAt)
      deleteNote(ctx, await writingTargetOf(ctx, kind), ctx.params.note_id, before)
    },
  })
  return [list, show, create, change, remove]
}
