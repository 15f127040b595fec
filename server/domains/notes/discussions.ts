import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import type { Rows } from '../../db/rows.ts'
import { fail, notFound } from '../../lib/fail.ts'
import type { NoteableKind } from './noteable.ts'
import { checkBody, createNote, getNote, tellChange, type NewNote, type NotePlace } from './service.ts'
import * as store from './store.ts'
import { viewsOf, type NoteView } from './views.ts'

/** Discussions under something, oldest first. */
export function findDiscussions(
  ctx: Ctx,
  { noteable, seesInternal }: NotePlace,
  window: { limit: number; offset: number },
): Rows<readonly NoteView[]> {
  const { limit, offset } = window
  const found = store.discussions(ctx.db, noteable, { limit, offset, internal: seesInternal })
  // The people of all discussions at once.
  const notes = viewsOf(ctx.db, found.rows.flat(), noteable.iid)
  const byDiscussion = Map.groupBy(notes, (note) => note.discussion_id)
  return { ...found, rows: found.rows.map((one) => byDiscussion.get(one[0]!.discussion_id)!) }
}

/** The notes of one discussion; empty without one. */
export function notesOf(ctx: Ctx, { noteable, seesInternal }: NotePlace, id: string): NoteView[] {
  return viewsOf(ctx.db, store.ofDiscussion(ctx.db, noteable, id, seesInternal), noteable.iid)
}

/** One discussion. Throws 404. */
export function getDiscussion(ctx: Ctx, place: NotePlace, id: string): NoteView[] {
  const notes = notesOf(ctx, place, id)
  if (notes.length === 0) throw notFound('Discussion')
  return notes
}

/** Begins a thread. Throws 400 for a text that cannot stand. */
export function startDiscussion(
  ctx: Ctx,
  kind: Pick<NoteableKind, 'threadsResolve'>,
  place: NotePlace,
  given: Omit<NewNote, 'type' | 'discussion_id' | 'resolvable'>,
): NoteView[] {
  const type = given.position ? 'DiffNote' : 'DiscussionNote'
  return [createNote(ctx, place, { ...given, type, resolvable: kind.threadsResolve })]
}

/**
 * Answers in a thread. A single note becomes a thread where its kind allows that. Throws 404 without the discussion, 400
 * where it takes no answers.
 */
export function reply(
  ctx: Ctx,
  kind: Pick<NoteableKind, 'singleNotesCanBeAnswered' | 'threadsResolve'>,
  place: NotePlace,
  given: { discussion_id: string; body: string; created_at?: string | undefined },
): NoteView {
  const [first] = getDiscussion(ctx, place, given.discussion_id)
  const isSingle = first!.type === null
  if (first!.system === 1 || (isSingle && !kind.singleNotesCanBeAnswered)) {
    throw fail('bad_request', '400 Bad request - Discussion can not be replied to.')
  }
  checkBody(given.body)
  return tx(ctx.db, () => {
    if (isSingle) {
      const resolvable = kind.threadsResolve ? 1 : 0
      store.update(ctx.db, first!.id, { type: 'DiscussionNote', resolvable })
    }
    return createNote(ctx, place, {
      ...given,
      type: first!.type === 'DiffNote' ? 'DiffNote' : 'DiscussionNote',
      resolvable: kind.threadsResolve,
      internal: first!.internal === 1,
      ...(first!.position === null ? {} : { position: JSON.parse(first!.position) as never }),
    })
  })
}

/** A note of one discussion. Throws 404 where it belongs to another. */
export function noteOfDiscussion(ctx: Ctx, place: NotePlace, discussionId: string, id: number): NoteView {
  const note = getNote(ctx, place, id)
  if (note.discussion_id !== discussionId) throw notFound('Note')
  return note
}

/** Resolves the thread of a note, or opens it again. Throws 400 for a note that cannot be resolved. */
export function resolveNote(ctx: Ctx, place: NotePlace, note: NoteView, resolved: boolean): NoteView {
  if (note.resolvable === 0) throw fail('bad_request', '400 Bad request - Note is not resolvable')
  resolveDiscussion(ctx, place, note.discussion_id, resolved)
  return getNote(ctx, place, note.id)
}

/** Resolves a thread or opens it again, and tells it once. Throws 404. */
export function resolveDiscussion(ctx: Ctx, place: NotePlace, id: string, resolved: boolean): NoteView[] {
  const [first] = getDiscussion(ctx, place, id)
  const { actor } = ctx
  if (actor.kind !== 'user') throw fail('forbidden')
  tx(ctx.db, () => {
    const by = resolved ? { user_id: actor.id, now: ctx.now } : null
    if (store.resolve(ctx.db, id, by) > 0) tellChange(ctx, first!, ['resolved_at'])
  })
  return getDiscussion(ctx, place, id)
}
