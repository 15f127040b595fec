import { z } from 'zod'

import { event } from '../../../events/event.ts'

const note = {
  /** Null for what belongs to no project. */
  project_id: z.number().nullable(),
  actor_id: z.number().nullable(),
  note_id: z.number(),
  discussion_id: z.string(),
  noteable_type: z.string(),
  /** Null for commits, which have an id of git. */
  noteable_id: z.number().nullable(),
  commit_id: z.string().nullable(),
  author_id: z.number(),
  /** Written by the instance itself about a change. */
  system: z.boolean(),
  internal: z.boolean(),
}

/** Somebody wrote a note: under a commit, and later under everything else that is discussed. */
export const NoteCreated = event('note.created', note)

/** The text of a note changed, or its thread was resolved or opened again. */
export const NoteUpdated = event('note.updated', {
  ...note,
  changed: z.array(z.string()),
  /** The text that stood there before, where it changed. */
  previous_body: z.string().optional(),
})

/** A note is gone. */
export const NoteDeleted = event('note.deleted', note)
