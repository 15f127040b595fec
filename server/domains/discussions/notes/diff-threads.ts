import type { Ctx } from '../../../ctx.ts'
import { tx, type Database } from '../../../db/database.ts'
import { noteWhenAllResolved } from './discussions.ts'
import type { Position } from './position.ts'
import { positionColumns, publishUpdate } from './service.ts'
import * as store from './store.ts'
import type { NoteRow } from './store.ts'
import { writeSystemNote } from './system-notes.ts'
import type { Noteable } from './types.ts'

/** A thread at a position in a diff. */
export interface DiffThread {
  readonly first: NoteRow
  readonly position: Position
}

/** Lists the threads at positions in the diffs of a record, except those about single commits. */
export function diffThreadsOf(db: Database, noteable: Noteable): DiffThread[] {
  return store.firstsInDiffs(db, noteable).map((first) => ({
    first,
    position: JSON.parse(first.position!) as Position,
  }))
}

/**
 * Moves threads of one record, with all of their notes, to new positions. Publishes a single event, because clients show
 * the threads together.
 */
export function moveThreads(
  ctx: Ctx,
  moves: readonly { readonly thread: DiffThread; readonly position: Position }[],
): void {
  tx(ctx.db, () => {
    for (const { thread, position } of moves) {
      const to = { position: JSON.stringify(position), ...positionColumns({ position }) }
      store.moveThread(ctx.db, thread.first, to)
    }
    const last = moves.at(-1)
    if (last) publishUpdate(ctx, last.thread.first, ['position'])
  })
}

/**
 * Writes a system note into a thread to say that a push changed its line, and resolves the thread if `resolve` is set.
 * A resolved thread stays unchanged.
 */
export function outdateThread(
  ctx: Ctx,
  noteable: Noteable,
  { first, position }: DiffThread,
  input: { readonly body: string; readonly author_id: number; readonly resolve: boolean },
): void {
  const { body, author_id, resolve } = input
  tx(ctx.db, () => {
    if (!store.isOpenThread(ctx.db, first.discussion_id)) return
    const thread = { discussion_id: first.discussion_id, position }
    writeSystemNote(ctx, noteable, { action: 'outdated', body, author_id, thread })
    if (!resolve) return
    store.resolve(ctx.db, first.discussion_id, { user_id: author_id, now: ctx.now, by_push: true })
    const note = 'automatically resolved this thread'
    writeSystemNote(ctx, noteable, { action: 'discussion', body: note, author_id, thread })
    publishUpdate(ctx, first, ['resolved_at'])
    noteWhenAllResolved(ctx, { noteable }, author_id)
  })
}
