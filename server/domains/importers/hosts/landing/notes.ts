import type { NewSuggestion, NoteRow, Position } from '../../../discussions/index.ts'
import { suggestionsIn } from '../../../merge_requests/index.ts'
import { accountOf, signedText } from './people.ts'
import { findPosition } from './positions.ts'
import * as store from './store.ts'
import {
  issuableId,
  landed,
  maybeTime,
  once,
  projectOf,
  textOf,
  timeOf,
  type ImportTarget,
} from './target.ts'
import type { NewDiffNote, NewNote } from './types.ts'

/** The mark kind of all notes: a plain note can be a reply to a diff note. */
const NOTE = 'note'

/** The columns of a new note; the others have defaults. */
export interface NewNoteRow {
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

/** Inserts a note. Inside the caller's transaction. */
export function insertNote(target: ImportTarget, given: NewNoteRow): number {
  const { ctx } = target
  const { on, position: parsed = null, type = null, system = false, resolved } = given
  const position = parsed === null ? null : JSON.stringify(parsed)
  const resolvable = on.kind === 'MergeRequest' && !system && type !== null
  return store.insertNoteRow(ctx.db, {
    project_id: projectOf(target).id,
    noteable_type: on.kind,
    noteable_id: on.id,
    commit_id: null,
    about_commit_id: null,
    discussion_id: given.discussion_id ?? ctx.random.hex(20),
    type,
    author_id: given.author_id,
    note: given.note,
    system,
    internal: false,
    position,
    original_position: position,
    action: given.action ?? null,
    ...lineColumns(parsed),
    resolvable,
    resolved_at: resolvable && resolved ? resolved.at : null,
    resolved_by_id: resolvable && resolved ? resolved.by : null,
    resolved_by_push: false,
    created_at: given.created_at,
    updated_at: given.updated_at ?? given.created_at,
    last_edited_at: null,
  })
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

/** See Landing.note. */
export function landNote(target: ImportTarget, given: NewNote): number | null {
  return once(target, NOTE, given.source_key, () => writeNote(target, given, null))
}

/** The note that another one answers, if it was imported under the same issue or merge request. */
function threadOf(target: ImportTarget, given: NewNote): store.AnsweredNote | undefined {
  const id = given.reply_to ? landed(target, NOTE, given.reply_to) : undefined
  if (id == null) return undefined
  const row = store.answeredNote(target.ctx.db, id)
  const isSame = row?.noteable_type === given.on.kind && row.noteable_id === issuableId(target, given.on)
  return isSame ? row : undefined
}

/** Inserts a note, at a position or as an answer. Inside the caller's transaction; null for an empty text. */
function writeNote(
  target: ImportTarget,
  given: NewNote,
  own: Position | null,
  body = given.body,
): number | null {
  if (textOf(body).trim() === '') return null
  const author = accountOf(target, given.author)
  const thread = threadOf(target, given)
  if (thread?.type === null) store.startThread(target.ctx.db, thread.id, given.on.kind === 'MergeRequest')
  const position = thread ? parsed(thread.position) : own
  const created_at = timeOf(given.created_at)
  return insertNote(target, {
    on: { kind: given.on.kind, id: issuableId(target, given.on) },
    author_id: author.id,
    note: signedText(target, author, given.author, body),
    created_at,
    updated_at: maybeTime(given.updated_at) ?? created_at,
    discussion_id: thread?.discussion_id,
    position,
    type: position ? 'DiffNote' : thread ? 'DiscussionNote' : null,
    resolved: given.resolved
      ? { by: accountOf(target, given.resolved.by).id, at: timeOf(given.resolved.at) }
      : null,
  })
}

const parsed = (position: string | null): Position | null =>
  position ? (JSON.parse(position) as Position) : null

const SUGGESTION = /^( {0,3}(?:`{3,}|~{3,})suggestion)[ \t]*$/gm

/** Suggestion blocks for all lines of a comment contain the number of lines above its last line. */
function convertSuggestions(
  body: string,
  { line, first_line }: Pick<NewDiffNote, 'line' | 'first_line'>,
): string {
  const isSpan = line && first_line && line.side === first_line.side && first_line.line < line.line
  const above = isSpan ? line.line - first_line.line : 0
  return body.replaceAll('\r\n', '\n').replaceAll(SUGGESTION, `$1:-${above}+0`)
}

/** See Landing.diffNote. */
export async function landDiffNote(target: ImportTarget, given: NewDiffNote): Promise<number | null> {
  const known = landed(target, NOTE, given.source_key)
  if (known !== undefined) return known
  const thread = threadOf(target, given)
  const position = thread ? parsed(thread.position) : await findPosition(target, given)
  const body = convertSuggestions(textOf(given.body), given)
  const offered = position ? await suggestionsIn(target.ctx, projectOf(target), body, position) : []
  return once(target, NOTE, given.source_key, () => {
    const text = position || thread ? body : withLocation(given, body)
    const id = writeNote(target, given, position, text)
    if (id !== null) insertSuggestions(target, id, offered)
    return id
  })
}

function insertSuggestions({ ctx }: ImportTarget, note_id: number, offered: readonly NewSuggestion[]): void {
  for (const [relative_order, one] of offered.entries())
    store.insertSuggestion(ctx.db, { ...one, note_id, relative_order, applied: false })
}

/** The text of a note about lines outside all diffs: it contains the file, the line number and a quote of the lines. */
function withLocation({ path, line, hunk }: NewDiffNote, body: string): string {
  const location = `*On ${JSON.stringify(path).slice(1, -1)}${line ? `, line ${line.line}` : ''}:*`
  const fence = '`'.repeat(Math.max(3, ...[...(hunk ?? '').matchAll(/`+/g)].map((run) => run[0].length + 1)))
  const quoted = hunk?.trim() ? [`${fence}diff\n${textOf(hunk)}\n${fence}`] : []
  return [location, ...quoted, body].join('\n\n')
}
