import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { fail } from '../../../lib/fail.ts'
import type { Project } from '../../projects/index.ts'
import { getDiscussion } from './discussions.ts'
import type { NoteableKind } from './noteable.ts'
import { getNote, tellChange, type NoteTarget } from './service.ts'
import * as store from './store.ts'
import { writeSystemNote } from './system-notes.ts'
import type { NoteView } from './views.ts'

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
