import type { Ctx } from '../../../ctx.ts'
import { publish } from '../../../events/publish.ts'
import { eventOf, NoteCreated } from './events.ts'
import type { Position } from './position.ts'
import * as store from './store.ts'
import type { Noteable } from './types.ts'

/** A line that the instance writes under something about a change. */
export interface SystemNote {
  /** What happened, as one word: `merge`, `approved`, `label`, `commit`, `title`, … */
  readonly action: string
  /** Markdown, as `changed milestone to %"1.0"`; the author's name stands in front where it is shown. */
  readonly body: string
  /** Who did it, when it was not the actor. */
  readonly author_id?: number | undefined
  /** Only people of the project see it. */
  readonly internal?: boolean | undefined
  /** The thread that it belongs into; it stands alone otherwise. */
  readonly thread?: { readonly discussion_id: string; readonly position: Position }
}

/** Writes what happened under something. To be called in the transaction of the change; gives the id of the note. */
export function writeSystemNote(ctx: Ctx, noteable: Noteable, note: SystemNote): number {
  const author = note.author_id ?? ctx.actor.id
  if (author === null) throw new Error('A system note needs somebody who did it.')
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
  publish(ctx, NoteCreated, eventOf(ctx, row))
  return row.id
}
