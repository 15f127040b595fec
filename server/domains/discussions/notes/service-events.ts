import type { Ctx } from '../../../ctx.ts'
import type { NoteRow } from './store.ts'

/** What events about a note say. */
export function eventOf(ctx: Ctx, note: NoteRow) {
  return {
    project_id: note.project_id,
    actor_id: ctx.actor.id,
    note_id: note.id,
    discussion_id: note.discussion_id,
    noteable_type: note.noteable_type,
    noteable_id: note.noteable_id,
    commit_id: note.commit_id,
    author_id: note.author_id,
    system: note.system,
    internal: note.internal,
  }
}
