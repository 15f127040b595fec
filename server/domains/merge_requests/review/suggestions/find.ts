import type { Ctx } from '../../../../ctx.ts'
import { fail, Failure } from '../../../../lib/fail.ts'
import { canRead, isAble } from '../../../../policy/ability.ts'
import {
  findNote,
  noteRowsById,
  notePlace,
  suggestionsById,
  type NoteRow,
  type Position,
  type SuggestionView,
} from '../../../discussions/index.ts'
import { project as scope, projectById, type Project } from '../../../projects/index.ts'
import { sourceProject } from '../../diffs/tips.ts'
import type { MergeRequestRow } from '../../merge-request.ts'
import { mergeRequestNoteable } from '../../noteable.ts'
import { abilities } from '../../policy.ts'
import { mayPushToSource } from '../../rights.ts'
import * as requests from '../../store.ts'

/** A suggestion with all that it is part of. */
export interface Found {
  readonly suggestion: SuggestionView
  readonly note: NoteRow
  readonly position: Position
  readonly request: MergeRequestRow
  /** The project that is merged into. */
  readonly project: Project
  /** The project whose branch it would change; undefined where that is gone. */
  readonly source: Project | undefined
}

/**
 * Suggestions by their ids, in that order. Throws 404 unless the actor sees each, and 403 unless they may push to the
 * branches that are to be changed.
 */
export function findSuggestions(ctx: Ctx, ids: readonly number[], lost: string): Found[] {
  const rows = new Map(suggestionsById(ctx.db, ids).map((row) => [row.id, row]))
  const notes = new Map(
    noteRowsById(
      ctx.db,
      [...rows.values()].map((row) => row.note_id),
    ).map((note) => [note.id, note]),
  )
  const found = ids.map((id) => {
    const suggestion = rows.get(id)
    const one = suggestion && visible(ctx, suggestion, notes.get(suggestion.note_id)!)
    if (!one) throw new Failure('not_found', lost)
    return one
  })
  for (const { request, project, source } of found) {
    if (source && !mayPushToSource(ctx, project, source, request)) throw fail('forbidden')
  }
  return found
}

function visible(ctx: Ctx, suggestion: SuggestionView, note: NoteRow): Found | undefined {
  const request = requests.byId(ctx.db, note.noteable_id!)
  const project = request && projectById(ctx.db, request.project_id)
  if (!project || !canRead(ctx, scope, project)) return undefined
  if (!isAble(ctx, scope, abilities.read_merge_request, project)) return undefined
  if (!findNote(ctx, notePlace(ctx, project, mergeRequestNoteable(request)), note.id)) return undefined
  const position = JSON.parse(note.position!) as Position
  return { suggestion, note, position, request, project, source: sourceProject(ctx, project, request) }
}
