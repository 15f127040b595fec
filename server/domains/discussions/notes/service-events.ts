/** What an event needs of a note. */
interface EventNote {
  readonly id: number
  readonly project_id: number | null
  readonly discussion_id: string
  readonly noteable_type: string
  readonly noteable_id: number | null
  readonly commit_id: string | null
  readonly author_id: number
  readonly system: boolean
  readonly internal: boolean
}

/** Makes the fields that every event about a note has. */
export function eventOf(ctx: { readonly actor: { readonly id: number | null } }, note: EventNote) {
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
