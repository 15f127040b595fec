import type { Ctx } from '../../../ctx.ts'
import { publish } from '../../../events/publish.ts'
import { eventFields, NoteCreated } from '../events.ts'
import type { Position } from './position.ts'
import * as store from './store.ts'
import type { Noteable } from './types.ts'

/** A note that the instance writes about a change of a record. */
export interface SystemNote {
  /** The kind of change in one word: `merge`, `approved`, `label`, `commit`, `title`, … */
  readonly action: string
  /** Markdown without the author, such as `changed milestone to %"1.0"`. */
  readonly body: string
  /** The user who made the change, if not the actor. */
  readonly author_id?: number | undefined
  /** Visible only to project members. */
  readonly internal?: boolean | undefined
  /** The thread that the note belongs to, if any. */
  readonly thread?: { readonly discussion_id: string; readonly position: Position }
}

/** Writes a system note on a record and returns its ID. Call it in the transaction of the change. */
export function writeSystemNote(ctx: Ctx, noteable: Noteable, note: SystemNote): number {
  const author = note.author_id ?? ctx.actor.id
  if (author === null) throw new Error('A system note needs an author.')
  const row = store.insert(ctx.db, {
    project_id: noteable.project_id,
    noteable_type: noteable.type,
    noteable_id: noteable.id,
    commit_id: noteable.sha,
    about_commit_id: null,
    discussion_id: note.thread?.discussion_id ?? ctx.random.hex(20),
    type: note.thread ? 'DiffNote' : null,
    author_id: author,
    note: note.body,
    system: true,
    internal: note.internal ?? false,
    position: note.thread ? JSON.stringify(note.thread.position) : null,
    original_position: null,
    action: note.action,
    path: null,
    line: null,
    line_type: null,
    resolvable: false,
    resolved_at: null,
    resolved_by_id: null,
    resolved_by_push: false,
    created_at: ctx.now,
    updated_at: ctx.now,
    last_edited_at: null,
  })
  publish(ctx, NoteCreated, eventFields(ctx, row))
  return row.id
}
