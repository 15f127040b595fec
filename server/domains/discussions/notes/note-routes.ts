import { atLeastOne, endpoint, type Endpoint, type Exchange } from '../../../http/endpoint.ts'
import { as, oneOf, type PresentedRow } from '../../../http/entity.ts'
import { bool, choice, int, paramsIf, text, timestamp } from '../../../http/params.ts'
import { created, noContent, ok, page } from '../../../http/returns.ts'
import { fail } from '../../../lib/fail.ts'
import { project, type Project } from '../../projects/index.ts'
import { editNote, writeComment, type WrittenComment } from './comment.ts'
import { Note, NoteCommands } from './entity.ts'
import { createNote, deleteNote, findNotes, getNote, noteTarget, type NoteTarget } from './service.ts'
import type { NoteableKind } from './types.ts'
import type { Ctx } from '../../../ctx.ts'
import type { Limit } from '../../../http/limit.ts'
import { isListed } from '../../../policy/actor.ts'
import { settingsOf } from '../../settings/index.ts'
import type { NoteView } from './views.ts'

/** The context of a request below `/projects/:id` with the path parameters of a kind. */
type KindContext = Ctx & { readonly project: Project; readonly params: Readonly<Record<string, unknown>> }

/** Loads the record that the path names. Throws 404 when the actor may not see it. */
export async function targetOf(ctx: KindContext, kind: NoteableKind): Promise<NoteTarget> {
  return noteTarget(ctx, ctx.project, await kind.load(ctx, ctx.project, ctx.params))
}

/** Loads the record for writing a note on it. Throws 404 as `targetOf` does, 403 when its discussion is locked. */
export async function writingTargetOf(ctx: KindContext, kind: NoteableKind): Promise<NoteTarget> {
  const target = await targetOf(ctx, kind)
  kind.checkWrite?.(ctx, ctx.project, target.noteable)
  return target
}

/** The number of notes that a user may write per minute (spec administration 1.2). */
export const WRITE_LIMIT: Limit = {
  max: 300,
  per: 60,
  together: 'notes',
  maxOf: (ctx: Ctx) => {
    const { notes_create_limit, notes_create_limit_allowlist } = settingsOf(ctx)
    return isListed(ctx.actor, notes_create_limit_allowlist) ? 0 : notes_create_limit
  },
}

/** The additional answer of endpoints that accept quick actions. */
export const ONLY_COMMANDS = { 202: 'The text contained only quick actions, and they were executed' }

/** Shows the written note with `show`. Answers 202 with the results of the quick actions if there is no other text. */
export function showComment<Written>(
  ctx: { readonly http: Exchange },
  { written, outcome }: WrittenComment<Written>,
  show: (written: Written) => PresentedRow,
): PresentedRow {
  if (written !== undefined) return show(written)
  ctx.http.status(202)
  return as(NoteCommands, outcome) as PresentedRow
}

/** Adds the changes of the quick actions to a note that was just written. */
export function withChanges(note: NoteView, { outcome }: WrittenComment<unknown>): NoteView {
  return { ...note, commands_changes: outcome.changes }
}

/**
 * The maximum size of a request body with a note, bytes: a note may have a million characters of several bytes each.
 */
export const MAX_NOTE_BODY = 5 * 1024 * 1024

/** The parameters of every note. */
export const noteParams = {
  body: text({ max: 2_000_000 }).describe('The content of the note, in Markdown'),
  created_at: timestamp()
    .optional()
    .describe('The time of creation, in ISO 8601. Requires permission to update the notes of others'),
}

const internalParams = {
  internal: bool()
    .optional()
    .describe('Make the note visible only to project members with at least the Reporter role'),
  confidential: bool().optional().describe('Deprecated alias of `internal`'),
}

/** Returns whether the note should be internal. Throws 403 for callers who may not see internal notes. */
function internalOf(
  kind: NoteableKind,
  params: { readonly internal?: boolean | undefined; readonly confidential?: boolean | undefined },
  seesInternal: boolean,
): boolean | undefined {
  const requested = kind.notesCanBeInternal ? (params.internal ?? params.confidential) : undefined
  if (requested && !seesInternal) throw fail('forbidden')
  return requested
}

/**
 * Declares the endpoints for notes on one kind of record (spec core 5.5), below `/projects/:id`. The domain of the kind
 * adds them to its routes.
 */
export function noteEndpoints(kind: NoteableKind): Endpoint[] {
  const base = `/projects/:id${kind.path}/notes` as const
  const note_id = int().describe('The ID of a note')
  const common = { scope: project, limit: WRITE_LIMIT, maxBody: MAX_NOTE_BODY }
  const list = endpoint(`GET ${base}`, {
    summary: `List the notes of a ${kind.title}`,
    scope: project,
    can: kind.read,
    params: {
      ...kind.params,
      activity_filter: choice('all_notes', 'only_comments', 'only_activity')
        .optional()
        .describe('Filter by all notes, comments of users, or system notes'),
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
  const show = endpoint(`GET ${base}/:note_id`, {
    summary: `Get a single note of a ${kind.title}`,
    scope: project,
    can: kind.read,
    params: { ...kind.params, note_id },
    returns: ok(Note),
    run: async (ctx) => {
      return getNote(ctx, await targetOf(ctx, kind), ctx.params.note_id)
    },
  })
  const create = endpoint(`POST ${base}`, {
    summary: `Create a note on a ${kind.title}`,
    ...common,
    can: kind.write,
    params: {
      ...kind.params,
      ...noteParams,
      ...paramsIf(kind.notesCanBeInternal, internalParams),
      ...kind.commandParams,
    },
    fails: { 400: 'The text is empty or too long, or no quick action applied' },
    returns: created(oneOf(Note, NoteCommands)),
    otherStatuses: ONLY_COMMANDS,
    run: async (ctx) => {
      const target = await writingTargetOf(ctx, kind)
      const { body = '', created_at } = ctx.params
      const internal = internalOf(kind, ctx.params, target.seesInternal)
      const commentTarget = { kind, project: ctx.project, target, params: ctx.params }
      const comment = await writeComment(ctx, commentTarget, body, (text) =>
        createNote(ctx, target, { body: text, created_at, internal }),
      )
      return showComment(ctx, comment, (note) => as(Note, withChanges(note, comment)))
    },
  })
  const change = endpoint(`PUT ${base}/:note_id`, {
    summary: `Update a note of a ${kind.title}`,
    scope: project,
    maxBody: MAX_NOTE_BODY,
    can: kind.write,
    params: {
      ...kind.params,
      note_id,
      body: noteParams.body.optional(),
      ...paramsIf(kind.notesCanBeInternal, internalParams),
    },
    parameterRules: [atLeastOne('body', ...(kind.notesCanBeInternal ? Object.keys(internalParams) : []))],
    fails: { 400: 'The text is empty or too long' },
    returns: ok(Note),
    run: async (ctx) => {
      const target = await writingTargetOf(ctx, kind)
      const internal = internalOf(kind, ctx.params, target.seesInternal)
      return editNote(ctx, { kind, project: ctx.project, target }, ctx.params.note_id, {
        ...ctx.params,
        internal,
      })
    },
  })
  const remove = endpoint(`DELETE ${base}/:note_id`, {
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
