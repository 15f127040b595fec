import { readDiff, type FileDiff } from '../../../../git/read/diff.ts'
import { mergeBase } from '../../../../git/read/graph.ts'
import { resolveCommit } from '../../../../git/read/revisions.ts'
import type { Repo } from '../../../../git/types.ts'
import { keepAround } from '../../../../git/write/refs.ts'
import {
  type NewSuggestion,
  type NoteRow,
  type Position,
  diffLines,
  lineCode,
  type DiffLine,
  importedNotes,
} from '../../../discussions/index.ts'
import { suggestionsIn, importedRequests, type VersionRefs } from '../../../merge_requests/index.ts'
import { inRepository } from '../../../projects/index.ts'
import { accountOf, signedText } from './people.ts'
import {
  issuableId,
  importedId,
  optionalTime,
  importOnce,
  projectOf,
  textOf,
  timeOf,
  type ImportTarget,
} from './target.ts'
import type { NewDiffNote, NewNote, Line } from './types.ts'

/** How much of a diff is searched for lines. */
const LIMITS = {
  max_files: 3000,
  max_file_bytes: 1024 * 1024,
  max_bytes: 10 * 1024 * 1024,
  max_lines: 200_000,
}

/** The position of a note in the newest diff or in the diff of its own head; null if no diff has the line. */
async function findPosition(target: ImportTarget, input: NewDiffNote): Promise<Position | null> {
  const newest = importedRequests.newestRefs(target.ctx.db, issuableId(target, input.issuable))
  const { line } = input
  if (!newest || !line) return null
  return inRepository(target.ctx, projectOf(target), async (repo) => {
    const { head_sha } = input
    const isNewest = !head_sha || head_sha === newest.head_sha
    const refs = isNewest ? newest : await earlierVersionRefs(repo, newest, head_sha)
    return refs && positionIn(repo, refs, { ...input, line })
  })
}

/** The commits of an earlier version. Protects its head from garbage collection. */
async function earlierVersionRefs(
  repo: Repo,
  newest: VersionRefs,
  head_sha: string,
): Promise<VersionRefs | null> {
  if ((await resolveCommit(repo, head_sha)) !== head_sha) return null
  await keepAround(repo, [head_sha])
  const base = await mergeBase(repo, newest.start_sha, head_sha)
  return { base_sha: base ?? newest.start_sha, start_sha: newest.start_sha, head_sha }
}

async function positionIn(
  repo: Repo,
  refs: VersionRefs,
  { path, line, first_line }: Pick<NewDiffNote, 'path' | 'first_line'> & { line: Line },
): Promise<Position | null> {
  const { files } = await readDiff(repo, { from: refs.base_sha, to: refs.head_sha }, LIMITS)
  const file =
    files.find((entry) => entry.new_path === path) ?? files.find((entry) => entry.old_path === path)
  const diffLine = file && findLine(file.diff, line)
  if (!file || !diffLine) return null
  const { old_path, new_path } = file
  const first = first_line && isBefore(first_line, line) ? findLine(file.diff, first_line) : undefined
  return {
    ...refs,
    old_path,
    new_path,
    position_type: 'text',
    old_line: diffLine.old_line,
    new_line: diffLine.new_line,
    line_range: first ? { start: lineRangeEnd(file, first), end: lineRangeEnd(file, diffLine) } : null,
  }
}

const isBefore = (first: Line, last: Line): boolean => first.side !== last.side || first.line < last.line

function lineRangeEnd({ new_path }: FileDiff, { type, old_line, new_line }: DiffLine) {
  return { line_code: lineCode(new_path, old_line ?? 0, new_line ?? 0), type, old_line, new_line }
}

/** Finds a line by its number on one side, with its number on the other. Lines between hunks are unchanged. */
export function findLine(diff: string, { side, line }: Line): DiffLine | undefined {
  const numberOf = (diffLine: DiffLine): number | null =>
    side === 'new' ? diffLine.new_line : diffLine.old_line
  // The new number of an unchanged line minus its old number.
  let shift = 0
  for (const diffLine of diffLines(diff)) {
    const number = numberOf(diffLine)
    if (number === line) return diffLine
    if (number !== null && number > line) break
    if (diffLine.type === 'new') shift++
    if (diffLine.type === 'old') shift--
  }
  const [old_line, new_line] = side === 'new' ? [line - shift, line] : [line, line + shift]
  return diff === '' || old_line < 1 || new_line < 1 ? undefined : { type: null, old_line, new_line }
}

/** The kind of mark for all notes, because a plain note can be a reply to a diff note. */
const NOTE_MARK = 'note'

/** The columns of a new note. Other columns get defaults. */
export interface NewNoteRow {
  readonly issuable: { readonly kind: 'Issue' | 'MergeRequest'; readonly id: number }
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

/** Inserts a note in the caller's transaction. */
export function insertNote(target: ImportTarget, input: NewNoteRow): number {
  const { ctx } = target
  const { issuable, position: parsedPosition = null, type = null, system = false, resolved } = input
  const position = parsedPosition === null ? null : JSON.stringify(parsedPosition)
  const resolvable = issuable.kind === 'MergeRequest' && !system && type !== null
  return importedNotes.insertNoteRow(ctx.db, {
    project_id: projectOf(target).id,
    noteable_type: issuable.kind,
    noteable_id: issuable.id,
    commit_id: null,
    about_commit_id: null,
    discussion_id: input.discussion_id ?? ctx.random.hex(20),
    type,
    author_id: input.author_id,
    note: input.note,
    system,
    internal: false,
    position,
    original_position: position,
    action: input.action ?? null,
    ...lineColumns(parsedPosition),
    resolvable,
    resolved_at: resolvable && resolved ? resolved.at : null,
    resolved_by_id: resolvable && resolved ? resolved.by : null,
    resolved_by_push: false,
    created_at: input.created_at,
    updated_at: input.updated_at ?? input.created_at,
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
export function landNote(target: ImportTarget, input: NewNote): number | null {
  return importOnce(target, NOTE_MARK, input.source_key, () => writeNote(target, input, null))
}

/** The note to which another note is a reply, if it was imported under the same issue or merge request. */
function parentOf(target: ImportTarget, input: NewNote): importedNotes.AnsweredNote | undefined {
  const id = input.reply_to ? importedId(target, NOTE_MARK, input.reply_to) : undefined
  if (id == null) return undefined
  const row = importedNotes.answeredNote(target.ctx.db, id)
  const isSame =
    row?.noteable_type === input.issuable.kind && row.noteable_id === issuableId(target, input.issuable)
  return isSame ? row : undefined
}

/** Inserts a note at a position or as a reply, in the caller's transaction. Returns null for an empty text. */
function writeNote(
  target: ImportTarget,
  input: NewNote,
  ownPosition: Position | null,
  body = input.body,
): number | null {
  if (textOf(body).trim() === '') return null
  const author = accountOf(target, input.author)
  const thread = parentOf(target, input)
  if (thread?.type === null)
    importedNotes.startThread(target.ctx.db, thread.id, input.issuable.kind === 'MergeRequest')
  const position = thread ? parsePosition(thread.position) : ownPosition
  const created_at = timeOf(input.created_at)
  return insertNote(target, {
    issuable: { kind: input.issuable.kind, id: issuableId(target, input.issuable) },
    author_id: author.id,
    note: signedText(target, author, input.author, body),
    created_at,
    updated_at: optionalTime(input.updated_at) ?? created_at,
    discussion_id: thread?.discussion_id,
    position,
    type: position ? 'DiffNote' : thread ? 'DiscussionNote' : null,
    resolved: input.resolved
      ? { by: accountOf(target, input.resolved.by).id, at: timeOf(input.resolved.at) }
      : null,
  })
}

const parsePosition = (position: string | null): Position | null =>
  position ? (JSON.parse(position) as Position) : null

const SUGGESTION = /^( {0,3}(?:`{3,}|~{3,})suggestion)[ \t]*$/gm

/**
 * Adds line offsets to suggestion blocks. At the other host, a suggestion replaces all lines of its comment. On this
 * instance, a suggestion names how many lines above the last one it replaces.
 */
function convertSuggestions(
  body: string,
  { line, first_line }: Pick<NewDiffNote, 'line' | 'first_line'>,
): string {
  const isMultiLine = line && first_line && line.side === first_line.side && first_line.line < line.line
  const above = isMultiLine ? line.line - first_line.line : 0
  return body.replaceAll('\r\n', '\n').replaceAll(SUGGESTION, `$1:-${above}+0`)
}

/** See Landing.diffNote. */
export async function landDiffNote(target: ImportTarget, input: NewDiffNote): Promise<number | null> {
  const existingId = importedId(target, NOTE_MARK, input.source_key)
  if (existingId !== undefined) return existingId
  const thread = parentOf(target, input)
  const position = thread ? parsePosition(thread.position) : await findPosition(target, input)
  const body = convertSuggestions(textOf(input.body), input)
  const suggestions = position ? await suggestionsIn(target.ctx, projectOf(target), body, position) : []
  return importOnce(target, NOTE_MARK, input.source_key, () => {
    const text = position || thread ? body : withLocation(input, body)
    const id = writeNote(target, input, position, text)
    if (id !== null) insertSuggestions(target, id, suggestions)
    return id
  })
}

function insertSuggestions(
  { ctx }: ImportTarget,
  note_id: number,
  suggestions: readonly NewSuggestion[],
): void {
  for (const [relative_order, suggestion] of suggestions.entries())
    importedNotes.insertSuggestion(ctx.db, { ...suggestion, note_id, relative_order, applied: false })
}

/**
 * The text of a note on lines that no diff contains. It starts with the file, the line number and a quote of the lines.
 */
function withLocation({ path, line, hunk }: NewDiffNote, body: string): string {
  const location = `*On ${JSON.stringify(path).slice(1, -1)}${line ? `, line ${line.line}` : ''}:*`
  const fence = '`'.repeat(Math.max(3, ...[...(hunk ?? '').matchAll(/`+/g)].map((run) => run[0].length + 1)))
  const quoted = hunk?.trim() ? [`${fence}diff\n${textOf(hunk)}\n${fence}`] : []
  return [location, ...quoted, body].join('\n\n')
}
