import { z } from 'zod'

import { entity, time, type Presentation, row } from '../../../http/entity.ts'
import { UserBasic } from '../../users/entity.ts'
import type { CommandOutcome } from '../quick_actions/commands.ts'
import type { Position } from './position.ts'
import type { SuggestionView } from './suggestions-store.ts'
import type { NoteView } from './views.ts'

/** A suggestion with the position of its note. */
export interface PositionedSuggestion extends SuggestionView {
  readonly position: Position
}

/**
 * Whether a suggestion can be applied, according to the database: it is not applied yet and changes the lines, its merge
 * request is open, and its position is in the newest version.
 */
export function isAppliable(suggestion: PositionedSuggestion): boolean {
  return (
    !suggestion.applied &&
    suggestion.from_content !== suggestion.to_content &&
    suggestion.request_state === 'opened' &&
    suggestion.position.new_line != null &&
    suggestion.position.head_sha === suggestion.request_head
  )
}

/** A suggested change of lines (spec core 5.5). */
export const Suggestion = entity(
  'Suggestion',
  {
    id: z.int(),
    from_line: z.int(),
    to_line: z.int(),
    appliable: z.boolean(),
    applied: z.boolean(),
    from_content: z.string(),
    to_content: z.string(),
  },
  row<PositionedSuggestion>(),
  (suggestion) => ({
    from_line: (suggestion.position.new_line ?? 0) - suggestion.lines_above,
    to_line: (suggestion.position.new_line ?? 0) + suggestion.lines_below,
    appliable: isAppliable(suggestion),
  }),
)

const end = z.object({
  line_code: z.string().nullable(),
  type: z.enum(['new', 'old']).nullable(),
  old_line: z.int().nullable(),
  new_line: z.int().nullable(),
})

/** A position in a diff, as answers show it. */
export const PositionShape = z.object({
  base_sha: z.string(),
  start_sha: z.string(),
  head_sha: z.string(),
  old_path: z.string(),
  new_path: z.string(),
  position_type: z.enum(['text', 'image']),
  old_line: z.int().nullable().optional(),
  new_line: z.int().nullable().optional(),
  line_range: z.object({ start: end, end }).nullable().optional(),
  width: z.int().nullable().optional(),
  height: z.int().nullable().optional(),
  x: z.int().nullable().optional(),
  y: z.int().nullable().optional(),
})

const fields = {
  id: z.int(),
  type: z.enum(['DiscussionNote', 'DiffNote']).nullable(),
  body: z.string(),
  attachment: z.null(),
  author: UserBasic.schema,
  created_at: time(),
  updated_at: time(),
  system: z.boolean(),
  noteable_id: z.int().nullable(),
  noteable_type: z.string(),
  project_id: z.int().nullable(),
  commit_id: z.string().nullable().optional(),
  position: PositionShape.optional(),
  suggestions: z.array(Suggestion.schema).optional(),
  resolvable: z.boolean(),
  resolved: z.boolean().optional(),
  resolved_by: UserBasic.schema.nullable().optional(),
  resolved_at: time().nullable().optional(),
  confidential: z.boolean(),
  internal: z.boolean(),
  noteable_iid: z.int().nullable(),
  commands_changes: z.record(z.string(), z.unknown()),
}

function presentPosition(note: NoteView, at: Presentation) {
  if (note.type !== 'DiffNote' || note.position === null) return {}
  const position = JSON.parse(note.position) as Position
  const suggestions = note.suggestions.map((suggestion) =>
    Suggestion.present({ ...suggestion, position: position }, at),
  )
  return { commit_id: note.commit_id ?? note.about_commit_id, position, suggestions }
}

function presentResolution(note: NoteView, at: Presentation) {
  if (!note.resolvable) return {}
  return {
    resolved: note.resolved_at !== null,
    resolved_by: note.resolved_by && UserBasic.present(note.resolved_by, at),
    resolved_at: note.resolved_at,
  }
}

function noteView(note: NoteView, at: Presentation) {
  return {
    id: note.id,
    type: note.type,
    body: note.note,
    attachment: null,
    author: UserBasic.present(note.author, at),
    created_at: note.created_at,
    updated_at: note.updated_at,
    system: note.system,
    noteable_id: note.noteable_id,
    noteable_type: note.noteable_type,
    project_id: note.project_id,
    ...presentPosition(note, at),
    resolvable: note.resolvable,
    ...presentResolution(note, at),
    confidential: note.internal,
    internal: note.internal,
    noteable_iid: note.noteable_iid,
    commands_changes: { ...note.commands_changes },
  }
}

/** A note (spec core 5.5). */
export const Note = entity('Note', fields, noteView)

/** The results of a text that contained only quick actions (spec core 5.5). */
export const NoteCommands = entity(
  'NoteCommands',
  { commands_changes: z.record(z.string(), z.unknown()), summary: z.array(z.string()) },
  ({ changes, summary }: CommandOutcome) => ({
    commands_changes: { ...changes },
    summary: [summary.join(' ')] as string[],
  }),
)

/** A single note, or a thread of them. */
export const Discussion = entity(
  'Discussion',
  { id: z.string(), individual_note: z.boolean(), notes: z.array(Note.schema) },
  (notes: readonly NoteView[], at) => ({
    id: notes[0]!.discussion_id,
    individual_note: notes[0]!.type === null,
    notes: notes.map((note) => noteView(note, at)),
  }),
)

/** A note on a commit, as the endpoint for commit comments shows it (spec core 4.6). */
export const CommitComment = entity(
  'CommitComment',
  {
    note: z.string(),
    path: z.string().nullable(),
    line: z.int().nullable(),
    line_type: z.enum(['new', 'old']).nullable(),
    author: UserBasic.schema,
    created_at: time(),
  },
  row<NoteView>(),
  (note, at) => ({
    author: UserBasic.present(note.author, at),
  }),
)
