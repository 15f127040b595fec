import { q } from '../../../../db/database.ts'
import type { NoteRow, Position } from '../../../discussions/index.ts'
import { projectOf, type ImportTarget } from './target.ts'

/** What a landed note is made of; the rest has defaults. */
export interface NewRow {
  readonly on: { readonly kind: 'Issue' | 'MergeRequest'; readonly id: number }
  readonly author_id: number
  readonly note: string
  readonly created_at: string
  readonly updated_at?: string | undefined
  readonly type?: 'DiscussionNote' | 'DiffNote' | null | undefined
  readonly discussion_id?: string | undefined
  readonly position?: Position | null | undefined
  readonly system?: boolean | undefined
  readonly action?: string | undefined
  readonly resolved?: { readonly by: number; readonly at: string } | null | undefined
}

/** Writes a note. Inside the caller's transaction. */
export function insertNote(target: ImportTarget, given: NewRow): number {
  const { ctx } = target
  const { on, position = null, type = null, system = false, resolved } = given
  const place = position === null ? null : JSON.stringify(position)
  const resolvable = on.kind === 'MergeRequest' && !system && type !== null
  const row: Omit<NoteRow, 'id'> = {
    project_id: projectOf(target).id,
    noteable_type: on.kind,
    noteable_id: on.id,
    commit_id: null,
    about_commit_id: null,
    discussion_id: given.discussion_id ?? ctx.random.hex(20),
    type,
    author_id: given.author_id,
    note: given.note,
    system: system,
    internal: false,
    position: place,
    original_position: place,
    action: given.action ?? null,
    ...lineColumns(position),
    resolvable: resolvable,
    resolved_at: resolvable && resolved ? resolved.at : null,
    resolved_by_id: resolvable && resolved ? resolved.by : null,
    resolved_by_push: false,
    created_at: given.created_at,
    updated_at: given.updated_at ?? given.created_at,
    last_edited_at: null,
  }
  return ctx.db.run(q.insertInto('notes').values(row)).id
}

function lineColumns(position: Position | null): Pick<NoteRow, 'path' | 'line' | 'line_type'> {
  if (position === null) return { path: null, line: null, line_type: null }
  const isNew = position.new_line != null
  return {
    path: isNew ? position.new_path : position.old_path,
    line: position.new_line ?? position.old_line ?? null,
    line_type: isNew ? 'new' : 'old',
  }
}
