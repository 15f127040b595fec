import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import type { Rows } from '../../../db/rows.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import type { Project } from '../../projects/index.ts'
import { checkBody, createNote, getNote, tellChange, type NewNote, type NoteTarget } from './service.ts'
import * as store from './store.ts'
import { writeSystemNote } from './system-notes.ts'
import type { NoteableKind } from './types.ts'
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

/** Throws 403 unless the actor began the thread, or may resolve those of others. */
export function checkMayResolve(
  ctx: Ctx,
  kind: Pick<NoteableKind, 'mayResolve'>,
  project: Project,
  { noteable }: Pick<NoteTarget, 'noteable'>,
  [first]: readonly NoteView[],
): void {
  const isOwn = ctx.actor.kind === 'user' && ctx.actor.id === first!.author_id
  if (!isOwn && kind.mayResolve && !kind.mayResolve(ctx, project, noteable)) throw fail('forbidden')
}

/** Resolves the thread of a note, or opens it again. Throws 400 for a note that cannot be resolved. */
export function resolveNote(ctx: Ctx, target: NoteTarget, note: NoteView, resolved: boolean): NoteView {
  if (!note.resolvable) throw fail('bad_request', '400 Bad request - Note is not resolvable')
  resolveDiscussion(ctx, target, note.discussion_id, resolved)
  return getNote(ctx, target, note.id)
}

/** Resolves a thread or opens it again, and tells it once; the last open one is worth a line. Throws 404. */
export function resolveDiscussion(ctx: Ctx, target: NoteTarget, id: string, resolved: boolean): NoteView[] {
  const [first] = getDiscussion(ctx, target, id)
  const { actor } = ctx
  if (actor.kind !== 'user') throw fail('forbidden')
  tx(ctx.db, () => {
    const by = resolved ? { user_id: actor.id, now: ctx.now } : null
    if (store.resolve(ctx.db, id, by) === 0) return
    tellChange(ctx, first!, ['resolved_at'])
    if (resolved) noteWhenAllResolved(ctx, target)
  })
  return getDiscussion(ctx, target, id)
}

/** Writes a line when no thread under something is open any more. To be called in the transaction of the change. */
export function noteWhenAllResolved(
  ctx: Ctx,
  { noteable }: Pick<NoteTarget, 'noteable'>,
  authorId?: number,
): void {
  if (noteable.id === null || store.countOpenThreads(ctx.db, noteable.type, noteable.id) > 0) return
  const note = { action: 'discussion', body: 'resolved all threads', author_id: authorId }
  writeSystemNote(ctx, noteable, note)
}
