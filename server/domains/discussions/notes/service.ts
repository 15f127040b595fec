import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import type { Rows } from '../../../db/rows.ts'
import { publish } from '../../../events/publish.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import { hasAbility } from '../../../policy/ability.ts'
import { project as scope, type Project } from '../../projects/index.ts'
import { eventFields, NoteCreated, NoteDeleted, NoteUpdated } from '../events.ts'
import { abilities } from './policy.ts'
import type { Position } from './position.ts'
import * as store from './store.ts'
import type { NoteFilter, NoteRow } from './store.ts'
import { replace as replaceSuggestions, type NewSuggestion } from './suggestions-store.ts'
import type { Noteable } from './types.ts'
import { viewsOf, type NoteView } from './views.ts'

/** The maximum number of characters of a note. */
export const MAX_NOTE = 1_000_000

/** The record of the notes, with what the actor may do there. */
export interface NoteTarget {
  readonly noteable: Noteable
  /** Whether the actor sees internal notes. */
  readonly seesInternal: boolean
  /** Whether the actor may update and delete the notes of others, and set the creation time of a note. */
  readonly mayAdmin: boolean
}

/** The content of a new note. */
export interface NewNote {
  readonly body: string
  readonly type?: 'DiscussionNote' | 'DiffNote' | null
  /** The thread to reply to. Undefined starts a new discussion. */
  readonly discussion_id?: string | undefined
  readonly internal?: boolean | undefined
  readonly resolvable?: boolean | undefined
  readonly position?: Position | undefined
  /** The position at which the note was written, if the thread has moved since. */
  readonly original_position?: Position | undefined
  /** The suggestions in the text. */
  readonly suggestions?: readonly NewSuggestion[] | undefined
  /** Whether the note is resolved, as a reply in a resolved thread is. */
  readonly resolved?: boolean | undefined
  /** The commit of the merge request that the note is about. */
  readonly commit_id?: string | undefined
  /** The line of a commit, for the endpoint for commit comments. */
  readonly comment_line?: { readonly path: string; readonly line: number; readonly line_type: 'new' | 'old' }
  /** Ignored unless `mayAdmin` is set. */
  readonly created_at?: string | undefined
  readonly system?: boolean | undefined
}

const views = (ctx: Ctx, noteable: Noteable, rows: readonly NoteRow[]) => viewsOf(ctx.db, rows, noteable.iid)

/** Lists the notes of a record. */
export function findNotes(
  ctx: Ctx,
  target: NoteTarget,
  filter: Omit<NoteFilter, 'internal'>,
): Rows<NoteView> {
  const result = store.list(ctx.db, target.noteable, { ...filter, internal: target.seesInternal })
  return { ...result, rows: views(ctx, target.noteable, result.rows) }
}

/** Returns a note of a record. Throws 404. */
export function getNote(ctx: Ctx, target: NoteTarget, id: number): NoteView {
  return views(ctx, target.noteable, [noteOf(ctx, target, id)])[0]!
}

/** Returns a note of a record as stored. Undefined if there is none, or the actor may not see it. */
export function findNote(ctx: Ctx, { noteable, seesInternal }: NoteTarget, id: number): NoteRow | undefined {
  return store.byId(ctx.db, noteable, id, seesInternal)
}

function noteOf(ctx: Ctx, target: NoteTarget, id: number): NoteRow {
  const note = findNote(ctx, target, id)
  if (!note) throw notFound('Note')
  return note
}

/** Returns the problem of a text, in the contract's words. Undefined for a valid text. */
function problemOf(body: string): string | undefined {
  if (body.trim() === '') return `{:note=>["can't be blank"]}`
  if (body.length > MAX_NOTE) return `{:note=>["is too long (maximum is ${MAX_NOTE} characters)"]}`
  return undefined
}

/** Throws 400 for an invalid text. */
export function checkBody(body: string): void {
  const problem = problemOf(body)
  if (problem) throw fail('bad_request', `400 Bad request - Note ${problem}`)
}

/** Throws 400 when the record has the maximum number of notes. */
function checkNoteLimit(ctx: Ctx, noteable: Noteable): void {
  if (store.isFull(ctx.db, noteable))
    throw fail('bad_request', '400 Bad request - Note {:base=>["Maximum number of comments exceeded"]}')
}

/** Writes a note as the actor. Throws 400 for an invalid text, and when the record has the maximum number of notes. */
export function createNote(ctx: Ctx, target: NoteTarget, input: NewNote): NoteView {
  checkBody(input.body)
  const { noteable } = target
  checkNoteLimit(ctx, noteable)
  const original = input.original_position ?? input.position
  const isResolved = input.resolvable && input.resolved
  const created_at = target.mayAdmin && input.created_at ? input.created_at : ctx.now
  return tx(ctx.db, () => {
    // The record may have been deleted while git was read.
    if (!store.touch(ctx.db, noteable, ctx.now)) throw notFound()
    const row = store.insert(ctx.db, {
      project_id: noteable.project_id,
      noteable_type: noteable.type,
      noteable_id: noteable.id,
      commit_id: noteable.sha,
      about_commit_id: input.commit_id ?? null,
      discussion_id: input.discussion_id ?? ctx.random.hex(20),
      type: input.type ?? null,
      author_id: authorOf(ctx),
      note: input.body,
      system: input.system ?? false,
      internal: input.internal ?? false,
      position: input.position ? JSON.stringify(input.position) : null,
      original_position: original ? JSON.stringify(original) : null,
      action: null,
      resolved_by_push: false,
      ...positionColumns(input),
      resolvable: input.resolvable ?? false,
      resolved_at: isResolved ? ctx.now : null,
      resolved_by_id: isResolved ? authorOf(ctx) : null,
      created_at,
      updated_at: created_at,
      last_edited_at: null,
    })
    if (input.suggestions?.length) replaceSuggestions(ctx.db, row.id, input.suggestions)
    publish(ctx, NoteCreated, eventFields(ctx, row))
    return views(ctx, noteable, [row])[0]!
  })
}

function authorOf(ctx: Ctx): number {
  if (ctx.actor.kind !== 'user') throw fail('unauthorized')
  return ctx.actor.id
}

/** Returns the columns for the position in a diff that the endpoint for commit comments shows. */
export function positionColumns({
  comment_line,
  position,
}: Pick<NewNote, 'comment_line' | 'position'>): Pick<NoteRow, 'path' | 'line' | 'line_type'> {
  if (comment_line) return { ...comment_line }
  if (position?.position_type !== 'text')
    return { path: position?.new_path ?? null, line: null, line_type: null }
  const isNew = position.new_line != null
  return {
    path: isNew ? position.new_path : position.old_path,
    line: position.new_line ?? position.old_line ?? null,
    line_type: isNew ? 'new' : 'old',
  }
}

function checkMayChange(ctx: Ctx, { mayAdmin }: NoteTarget, note: NoteRow): void {
  const isOwn = ctx.actor.kind === 'user' && ctx.actor.id === note.author_id
  if (note.system || (!isOwn && !mayAdmin)) throw fail('forbidden')
}

/**
 * Updates the text of a note, or whether it is internal. Throws 404, 403 for notes of others, 400 for an invalid text.
 */
export function updateNote(
  ctx: Ctx,
  target: NoteTarget,
  id: number,
  changes: {
    body?: string | undefined
    internal?: boolean | undefined
    suggestions?: readonly NewSuggestion[] | undefined
  },
): NoteView {
  const note = noteOf(ctx, target, id)
  checkMayChange(ctx, target, note)
  const problem = changes.body === undefined ? undefined : problemOf(changes.body)
  if (problem) throw fail('bad_request', `400 Bad request - Failed to save note ${problem}`)
  const body = changes.body ?? note.note
  const internal = changes.internal ?? note.internal
  const changed = [
    ...(body === note.note ? [] : ['note']),
    ...(internal === note.internal ? [] : ['internal']),
  ]
  if (changed.length === 0) return views(ctx, target.noteable, [note])[0]!
  return tx(ctx.db, () => {
    const row = store.update(ctx.db, note.id, {
      note: body,
      internal,
      updated_at: ctx.now,
      last_edited_at: ctx.now,
    })
    if (changes.suggestions) replaceSuggestions(ctx.db, row.id, changes.suggestions)
    store.touch(ctx.db, target.noteable, ctx.now)
    publishUpdate(ctx, row, changed, body === note.note ? undefined : note.note)
    return views(ctx, target.noteable, [row])[0]!
  })
}

/** Deletes a note. `before` gets the time of its last update and may throw. Throws 404, 403 for notes of others. */
export function deleteNote(
  ctx: Ctx,
  target: NoteTarget,
  id: number,
  before: (updatedAt: string) => void,
): void {
  const note = noteOf(ctx, target, id)
  checkMayChange(ctx, target, note)
  before(note.updated_at)
  tx(ctx.db, () => {
    store.remove(ctx.db, note.id)
    publish(ctx, NoteDeleted, eventFields(ctx, note))
  })
}

/** Publishes that a note changed. `changed` lists the columns, `previous` is the text before the change. */
export function publishUpdate(ctx: Ctx, note: NoteRow, changed: string[], previous?: string): void {
  publish(ctx, NoteUpdated, { ...eventFields(ctx, note), changed, previous_body: previous })
}

/** Returns a loaded record as the target of notes, with the abilities of the actor. */
export function noteTarget(ctx: Ctx, project: Project, noteable: NoteTarget['noteable']): NoteTarget {
  return {
    noteable,
    seesInternal: hasAbility(ctx, scope, abilities.read_internal_note, project),
    mayAdmin: hasAbility(ctx, scope, abilities.admin_note, project, true),
  }
}
