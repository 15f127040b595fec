import { z } from 'zod'
import { event } from '../../events/event.ts'

const note = {
  /** Null for personal snippets. */
  project_id: z.number().nullable(),
  actor_id: z.number().nullable(),
  note_id: z.number(),
  discussion_id: z.string(),
  noteable_type: z.string(),
  /** Null for commits, which `commit_id` names. */
  noteable_id: z.number().nullable(),
  commit_id: z.string().nullable(),
  author_id: z.number(),
  /** Whether it is a system note. */
  system: z.boolean(),
  internal: z.boolean(),
}

/** A note was written. */
export const NoteCreated = event('note.created', note)

/** The text of a note changed, or its thread was resolved, unresolved or moved. */
export const NoteUpdated = event('note.updated', {
  ...note,
  changed: z.array(z.string()),
  /** The text before the change, if the text changed. */
  previous_body: z.string().optional(),
})

/** A note was deleted. */
export const NoteDeleted = event('note.deleted', note)

/** The columns of a note that its events need. */
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

/** Returns the fields that every event about a note has. */
export function eventFields(ctx: { readonly actor: { readonly id: number | null } }, note: EventNote) {
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

const award = {
  award_id: z.number(),
  /** The user who awarded the emoji. */
  user_id: z.number(),
  actor_id: z.number().nullable(),
  name: z.string(),
  /** `Issue`, `MergeRequest`, `Snippet` or `Note`. */
  awardable_type: z.string(),
  awardable_id: z.number(),
  project_id: z.number().nullable(),
  /** The issue, merge request or snippet; for an emoji on a note, the record that the note is on. */
  noteable_type: z.string(),
  noteable_id: z.number(),
  created_at: z.string(),
  updated_at: z.string(),
}

/** A user awarded an emoji. */
export const AwardAdded = event('award.added', award)

/** A user removed an emoji. */
export const AwardRemoved = event('award.removed', award)
