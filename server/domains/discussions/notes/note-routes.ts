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
  type NoteContext,
  type NoteParams,
} from './routes-context.ts'
import { createNote, deleteNote, findNotes, getNote } from './service.ts'
import type { NoteableKind } from './types.ts'

/** A note may be a million characters, each of several bytes. */
export const MAX_NOTE_BODY = 5 * 1024 * 1024

/** Parameters of texts that people write. */
export const writing = {
  body: text({ max: 2_000_000 }).describe('Text of the note, in Markdown'),
  created_at: timestamp()
    .optional()
    .describe('When it was written, for those who may change the notes of others'),
}

const internals = {
  internal: bool().optional().describe('Only people of the project see it'),
  confidential: bool().optional().describe('The same as `internal`'),
}

/** Whether a note is to be internal. Throws 403 for those who would not see it themselves. */
function internalOf(kind: NoteableKind, params: NoteParams, seesInternal: boolean): boolean | undefined {
  const wanted = kind.notesCanBeInternal ? (params.internal ?? params.confidential) : undefined
  if (wanted && !seesInternal) throw fail('forbidden')
  return wanted
}

/**
 * The endpoints of plain notes under one kind of record (spec core 5.5), below `/projects/:id`. The kind's domain puts
 * them into its routes.
 */
export function noteEndpoints(kind: NoteableKind): Endpoint[] {
  const at = `/projects/:id${kind.path}/notes` as const
  const note_id = int().describe('Id of the note')
  const common = { scope: project, limit: WRITING, maxBody: MAX_NOTE_BODY }
  const list = endpoint(`GET ${at}`, {
    summary: `List the notes of a ${kind.title}`,
    scope: project,
    can: kind.read,
    params: {
      ...kind.params,
      activity_filter: choice('all_notes', 'only_comments', 'only_activity')
        .optional()
        .describe('Only what people wrote, or only what the instance wrote'),
    },
    returns: page(Note, { order_by: ['created_at', 'updated_at'], sort: 'desc' }),
    run: async (context) => {
      const ctx = context as unknown as NoteContext
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
    summary: `Get a note of a ${kind.title}`,
    scope: project,
    can: kind.read,
    params: { ...kind.params, note_id },
    returns: ok(Note),
    run: async (context) => {
      const ctx = context as unknown as NoteContext
      return getNote(ctx, await targetOf(ctx, kind), ctx.params.note_id)
    },
  })
  const create = endpoint(`POST ${at}`, {
    summary: `Write a note under a ${kind.title}`,
    ...common,
    can: kind.write,
    params: {
      ...kind.params,
      ...writing,
      ...(kind.notesCanBeInternal ? internals : {}),
      ...kind.commandParams,
    },
    fails: { 400: 'The text is empty or too long, or its commands did not apply' },
    returns: created(oneOf(Note, NoteCommands)),
    also: COMMANDS_ALONE,
    run: async (context) => {
      const ctx = context as unknown as NoteContext
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
    summary: `Change a note of a ${kind.title}`,
    scope: project,
    maxBody: MAX_NOTE_BODY,
    can: kind.write,
    params: {
      ...kind.params,
      note_id,
      body: writing.body.optional(),
      ...(kind.notesCanBeInternal ? internals : {}),
    },
    together: [atLeastOne('body', ...(kind.notesCanBeInternal ? Object.keys(internals) : []))],
    fails: { 400: 'The text is empty or too long' },
    returns: ok(Note),
    run: async (context) => {
      const ctx = context as unknown as NoteContext
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
    run: async (context) => {
      const ctx = context as unknown as NoteContext
      const before = (updatedAt: string) => ctx.http.unmodifiedSince(updatedAt)
      deleteNote(ctx, await writingTargetOf(ctx, kind), ctx.params.note_id, before)
    },
  })
  return [list, show, create, change, remove]
}
