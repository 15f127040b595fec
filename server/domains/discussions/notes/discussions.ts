import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import type { Rows } from '../../../db/rows.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import type { Project } from '../../projects/index.ts'
import { checkBody, createNote, getNote, publishUpdate, type NewNote, type NoteTarget } from './service.ts'
import type { Position } from './position.ts'
import * as store from './store.ts'
import { writeSystemNote } from './system-notes.ts'
import type { NoteableKind } from './types.ts'
import { viewsOf, type NoteView } from './views.ts'

/** Lists the discussions of a record, oldest first. */
export function findDiscussions(
  ctx: Ctx,
  { noteable, seesInternal }: NoteTarget,
  { limit, offset }: { limit: number; offset: number },
): Rows<readonly NoteView[]> {
  const result = store.discussions(ctx.db, noteable, { limit, offset, internal: seesInternal })
  // One query loads the users of all discussions.
  const notes = viewsOf(ctx.db, result.rows.flat(), noteable.iid)
  const byDiscussion = Map.groupBy(notes, (note) => note.discussion_id)
  return { ...result, rows: result.rows.map((row) => byDiscussion.get(row[0]!.discussion_id)!) }
}

/** Lists the notes of a discussion. Empty when there is no such discussion. */
export function notesOf(ctx: Ctx, { noteable, seesInternal }: NoteTarget, id: string): NoteView[] {
  return viewsOf(ctx.db, store.ofDiscussion(ctx.db, noteable, id, seesInternal), noteable.iid)
}

/** Returns the notes of a discussion. Throws 404. */
export function getDiscussion(ctx: Ctx, target: NoteTarget, id: string): NoteView[] {
  const notes = notesOf(ctx, target, id)
  if (notes.length === 0) throw notFound('Discussion')
  return notes
}

/** Starts a thread. Throws 400 for an invalid text. */
export function startDiscussion(
  ctx: Ctx,
  kind: Pick<NoteableKind, 'threadsResolve'>,
  target: NoteTarget,
  input: Omit<NewNote, 'type' | 'discussion_id' | 'resolvable'>,
): NoteView[] {
  const type = input.position ? 'DiffNote' : 'DiscussionNote'
  return [createNote(ctx, target, { ...input, type, resolvable: kind.threadsResolve })]
}

/** Returns the notes of a discussion. Throws 404 if it does not exist, 400 if it does not accept replies. */
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
 * Replies in a discussion. A single note becomes a thread, if the kind allows it. A resolved thread stays resolved.
 * Throws as `checkReply` does, and 400 for an invalid text.
 */
export function reply(
  ctx: Ctx,
  kind: Pick<NoteableKind, 'singleNotesCanBeAnswered' | 'threadsResolve'>,
  target: NoteTarget,
  input: Pick<NewNote, 'body' | 'created_at' | 'suggestions'> & { discussion_id: string },
): NoteView {
  const notes = checkReply(ctx, kind, target, input.discussion_id)
  const [first] = notes
  checkBody(input.body)
  return tx(ctx.db, () => {
    if (first!.type === null) {
      const resolvable = kind.threadsResolve
      store.update(ctx.db, first!.id, { type: 'DiscussionNote', resolvable })
    }
    return createNote(ctx, target, {
      ...input,
      type: first!.type === 'DiffNote' ? 'DiffNote' : 'DiscussionNote',
      resolvable: kind.threadsResolve,
      resolved: isResolved(notes),
      internal: first!.internal,
      commit_id: first!.about_commit_id ?? undefined,
      ...(first!.position === null ? {} : { position: JSON.parse(first!.position) as Position }),
    })
  })
}

/** Whether all resolvable notes of a thread are resolved. */
function isResolved(notes: readonly NoteView[]): boolean {
  const resolvable = notes.filter((note) => note.resolvable)
  return resolvable.length > 0 && resolvable.every((note) => note.resolved_at !== null)
}

/** Returns a note of a discussion. Throws 404 when it belongs to another discussion. */
export function noteOfDiscussion(ctx: Ctx, target: NoteTarget, discussionId: string, id: number): NoteView {
  const note = getNote(ctx, target, id)
  if (note.discussion_id !== discussionId) throw notFound('Note')
  return note
}

/** Throws 403 unless the actor started the thread or may resolve the threads of others. */
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

/** Resolves or unresolves the thread of a note. Throws 400 for a note that is not resolvable. */
export function resolveNote(ctx: Ctx, target: NoteTarget, note: NoteView, resolved: boolean): NoteView {
  if (!note.resolvable) throw fail('bad_request', '400 Bad request - Note is not resolvable')
  resolveDiscussion(ctx, target, note.discussion_id, resolved)
  return getNote(ctx, target, note.id)
}

/** Resolves or unresolves a thread. Writes a system note when the last open thread is resolved. Throws 404. */
export function resolveDiscussion(ctx: Ctx, target: NoteTarget, id: string, resolved: boolean): NoteView[] {
  const [first] = getDiscussion(ctx, target, id)
  const { actor } = ctx
  if (actor.kind !== 'user') throw fail('forbidden')
  tx(ctx.db, () => {
    const resolver = resolved ? { user_id: actor.id, now: ctx.now } : null
    if (store.resolve(ctx.db, id, resolver) === 0) return
    publishUpdate(ctx, first!, ['resolved_at'])
    if (resolved) noteWhenAllResolved(ctx, target)
  })
  return getDiscussion(ctx, target, id)
}

/** Writes a system note when a record has no open threads left. Call it in the transaction of the change. */
export function noteWhenAllResolved(
  ctx: Ctx,
  { noteable }: Pick<NoteTarget, 'noteable'>,
  authorId?: number,
): void {
  if (noteable.id === null || store.countOpenThreads(ctx.db, noteable.type, noteable.id) > 0) return
  const note = { action: 'discussion', body: 'resolved all threads', author_id: authorId }
  writeSystemNote(ctx, noteable, note)
}
