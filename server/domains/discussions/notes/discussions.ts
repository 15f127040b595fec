import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import type { Rows } from '../../../db/rows.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import type { NoteableKind } from './noteable.ts'
import { checkBody, createNote, getNote, type NewNote, type NoteTarget } from './service.ts'
import * as store from './store.ts'
import { viewsOf, type NoteView } from './views.ts'

/** Discussions under something, oldest first. */
export function findDiscussions(
  ctx: Ctx,
  { noteable, seesInternal }: NoteTarget,
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
export function notesOf(ctx: Ctx, { noteable, seesInternal }: NoteTarget, id: string): NoteView[] {
  return viewsOf(ctx.db, store.ofDiscussion(ctx.db, noteable, id, seesInternal), noteable.iid)
}

/** One discussion. Throws 404. */
export function getDiscussion(ctx: Ctx, target: NoteTarget, id: string): NoteView[] {
  const notes = notesOf(ctx, target, id)
  if (notes.length === 0) throw notFound('Discussion')
  return notes
}

/** Begins a thread. Throws 400 for a text that cannot stand. */
export function startDiscussion(
  ctx: Ctx,
  kind: Pick<NoteableKind, 'threadsResolve'>,
  target: NoteTarget,
  given: Omit<NewNote, 'type' | 'discussion_id' | 'resolvable'>,
): NoteView[] {
  const type = given.position ? 'DiffNote' : 'DiscussionNote'
  return [createNote(ctx, target, { ...given, type, resolvable: kind.threadsResolve })]
}

/** The first note of a thread that can be answered. Throws 404 without it, 400 where it takes no answers. */
export function checkReply(
  ctx: Ctx,
  kind: Pick<NoteableKind, 'singleNotesCanBeAnswered'>,
  target: NoteTarget,
  id: string,
): NoteView[] {
  const notes = getDiscussion(ctx, target, id)
  const [first] = notes
  if (first!.system || (first!.type === null && !kind.singleNotesCanBeAnswered)) {
    throw fail('bad_request', '400 Bad request - Discussion can not be replied to.')
  }
  return notes
}

/**
 * Answers in a thread. A single note becomes a thread where its kind allows that; a resolved thread stays so. Throws 404
 * without the discussion, 400 where it takes no answers.
 */
export function reply(
  ctx: Ctx,
  kind: Pick<NoteableKind, 'singleNotesCanBeAnswered' | 'threadsResolve'>,
  target: NoteTarget,
  given: Pick<NewNote, 'body' | 'created_at' | 'suggestions'> & { discussion_id: string },
): NoteView {
  const notes = checkReply(ctx, kind, target, given.discussion_id)
  const [first] = notes
  checkBody(given.body)
  return tx(ctx.db, () => {
    if (first!.type === null) {
      const resolvable = kind.threadsResolve
      store.update(ctx.db, first!.id, { type: 'DiscussionNote', resolvable })
    }
    return createNote(ctx, target, {
      ...given,
      type: first!.type === 'DiffNote' ? 'DiffNote' : 'DiscussionNote',
      resolvable: kind.threadsResolve,
      resolved: isResolved(notes),
      internal: first!.internal,
      commit_id: first!.about_commit_id ?? undefined,
      ...(first!.position === null ? {} : { position: JSON.parse(first!.position) as never }),
    })
  })
}

/** Whether all notes of a thread that can be resolved are. */
function isResolved(notes: readonly NoteView[]): boolean {
  const own = notes.filter((one) => one.resolvable)
  return own.length > 0 && own.every((one) => one.resolved_at !== null)
}

/** A note of one discussion. Throws 404 where it belongs to another. */
export function noteOfDiscussion(ctx: Ctx, target: NoteTarget, discussionId: string, id: number): NoteView {
  const note = getNote(ctx, target, id)
  if (note.discussion_id !== discussionId) throw notFound('Note')
  return note
}
