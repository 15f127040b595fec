import { createHash } from 'node:crypto'
import { SERVICE_NAME } from '../../../lib/aliases.ts'
import { awardRecords, eventRecords, importAwards, importEvents, type EventTarget } from './activity.ts'
import { childOf, childrenOf, flagOf, choiceOf, requiredText, shaOf, textOf, timeOf } from './checked.ts'
import * as field from './columns.ts'
import { columnsOf, recordOf, type ColumnMap } from './columns.ts'
import {
  relation,
  importEach,
  UnusableRecord,
  type Fields,
  type Row,
  type Source,
  type Target,
  type Json,
} from './relation.ts'
import { dependentRows } from './store.ts'
import {
  countNotesOnCommits,
  notesOf,
  notesOnCommits,
  type NoteRow,
  type NoteSubject,
} from './store-planning.ts'

const SHA = /^[0-9a-f]{40}([0-9a-f]{24})?$/
const MAX_PATH = 4096
const MAX_LINE = 10_000_000

/** The columns of a note for its position in a diff. */
interface NotePosition {
  readonly position: string | null
  readonly path: string | null
  readonly line: number | null
  readonly line_type: 'new' | 'old' | null
}

/** The position in a column with JSON; null if there is none. */
function positionRecord(stored: string | null): Fields | null {
  return stored === null ? null : (JSON.parse(stored) as Fields)
}

/** The line code of a position: the digest of the path, the old line and the new line. Readers of archives expect it. */
function lineCodeOf(position: Fields | null): string | null {
  if (position === null || position['position_type'] !== 'text') return null
  const path = String(position['new_path'] ?? position['old_path'] ?? '')
  const digest = createHash('sha1').update(path).digest('hex')
  return `${digest}_${Number(position['old_line'] ?? 0)}_${Number(position['new_line'] ?? 0)}`
}

/** The validated position in a record; null if there is none. Throws UnusableRecord for an invalid one. */
function positionOf(record: Fields, name: string): Fields | null {
  const fields = parsePosition(record[name])
  if (fields === null) return null
  const type = fields['position_type'] === 'image' ? 'image' : 'text'
  const old_path = pathOf(fields['old_path']) ?? pathOf(fields['new_path'])
  const new_path = pathOf(fields['new_path']) ?? old_path
  if (old_path === null || new_path === null) throw new UnusableRecord(`${name} is invalid`)
  const common = {
    base_sha: commitOf(fields, 'base_sha', name),
    start_sha: commitOf(fields, 'start_sha', name),
    head_sha: commitOf(fields, 'head_sha', name),
    old_path,
    new_path,
    position_type: type,
  }
  if (type === 'image') {
    const [width, height, x, y] = ['width', 'height', 'x', 'y'].map((key) => numberOf(fields[key]))
    return { ...common, width: width!, height: height!, x: x!, y: y! }
  }
  const old_line = lineOf(fields['old_line'])
  const new_line = lineOf(fields['new_line'])
  if (old_line === null && new_line === null) throw new UnusableRecord(`${name} is invalid`)
  return { ...common, old_line, new_line, line_range: rangeOf(fields['line_range'] ?? null) }
}

/** The columns for a position, including its older form (path, line and line type). */
function columnsOfPosition(fields: Fields | null): NotePosition {
  if (fields === null) return { position: null, path: null, line: null, line_type: null }
  const position = JSON.stringify(fields)
  if (fields['position_type'] === 'image')
    return { position, path: String(fields['new_path']), line: null, line_type: null }
  const isNew = fields['new_line'] !== null
  return {
    position,
    path: String(isNew ? fields['new_path'] : fields['old_path']),
    line: Number(isNew ? fields['new_line'] : fields['old_line']),
    line_type: isNew ? 'new' : 'old',
  }
}

/** The fields of a position, which some releases write as JSON text. */
function parsePosition(value: Json | undefined): Fields | null {
  if (typeof value === 'string' && value !== '') {
    try {
      return parsePosition(JSON.parse(value) as Json)
    } catch {
      throw new UnusableRecord('position is invalid')
    }
  }
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null
}

function pathOf(value: Json | undefined): string | null {
  return typeof value === 'string' && value !== '' && value.length <= MAX_PATH && !value.includes('\0')
    ? value.toWellFormed()
    : null
}

function commitOf(fields: Fields, side: string, name: string): string {
  const sha = fields[side]
  if (typeof sha !== 'string' || !SHA.test(sha)) throw new UnusableRecord(`${name} is invalid`)
  return sha
}

function lineOf(value: Json | undefined): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= MAX_LINE ? value : null
}

function numberOf(value: Json | undefined): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_LINE
    ? value
    : null
}

function rangeOf(value: Json): Fields | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  const { start, end } = value as Fields
  const first = endOf(start)
  const last = endOf(end)
  return first && last ? { start: first, end: last } : null
}

function endOf(value: Json | undefined): Fields | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  const end = value as Fields
  const code = end['line_code']
  return {
    line_code: typeof code === 'string' && code.length <= 255 ? code : null,
    type: end['type'] === 'new' || end['type'] === 'old' ? end['type'] : null,
    old_line: lineOf(end['old_line']),
    new_line: lineOf(end['new_line']),
  }
}

const TYPES = ['DiscussionNote', 'DiffNote'] as const
/** The text for a note without text. */
const BLANK_NOTE = '*Blank note*'

const SUGGESTION_FIELDS: ColumnMap = {
  relative_order: field.integer({ min: 0, max: 10_000 }, 0),
  applied: field.flag(),
  commit_id: field.sha(),
  from_content: field.text(undefined, ''),
  to_content: field.text(undefined, ''),
  lines_above: field.integer({ min: 0, max: 100 }, 0),
  lines_below: field.integer({ min: 0, max: 100 }, 0),
  outdated: field.constant(false),
}

/** The type of a note in the activity feed. */
const typeOf = (type: NoteRow['type']): EventTarget['type'] =>
  TYPES.find((candidate) => candidate === type) ?? 'Note'
const hasLegacyPosition = (row: NoteRow): boolean => row.position === null && row.line !== null

/** Fields that do not depend on the noteable. `importNote` adds the other columns. */
const FIELDS: ColumnMap<NoteRow> = {
  note: { write: (row) => row.note, read: (record, target) => ({ note: textWithAuthor(record, target) }) },
  noteable_type: field.exported(),
  author_id: field.person(),
  created_at: field.timeOrNow(),
  updated_at: field.updatedAt(),
  project_id: field.exported(),
  attachment: field.constant({ url: null }),
  line_code: field.computed<NoteRow>((row) =>
    row.type === 'DiffNote' ? lineCodeOf(positionRecord(row.position)) : null,
  ),
  commit_id: field.computed<NoteRow>((row) => row.commit_id ?? row.about_commit_id),
  system: field.flag(),
  st_diff: field.constant(null),
  updated_by_id: field.constant(null),
  type: field.column((record, name) => TYPES.find((type) => type === record[name]) ?? null),
  position: {
    write: (row) => positionRecord(row.position),
    read: positionColumns,
  },
  original_position: {
    write: (row) => positionRecord(row.original_position) ?? positionRecord(row.position),
    read: (record, _target, name) => {
      const original = positionOf(record, name)
      return { original_position: original === null ? null : JSON.stringify(original) }
    },
  },
  change_position: field.constant(null),
  resolved_at: field.exported(),
  resolved_by_id: field.exported(),
  resolved_by_push: field.computed<NoteRow>((row) =>
    row.resolved_at === null ? null : row.resolved_by_push,
  ),
  discussion_id: field.exported(),
  confidential: field.exported('internal'),
  internal: field.column((record) => flagOf(record, 'internal') || flagOf(record, 'confidential')),
  last_edited_at: field.time(),
  // The older form of a position, which comments on commits have.
  path: field.computed<NoteRow>((row) => (hasLegacyPosition(row) ? row.path : undefined)),
  line: field.computed<NoteRow>((row) => (hasLegacyPosition(row) ? row.line : undefined)),
  line_type: field.computed<NoteRow>((row) => (hasLegacyPosition(row) ? row.line_type : undefined)),
  author: field.computed<NoteRow>((row) => ({ name: row.author_name })),
  award_emoji: field.computed<NoteRow>((row, source) => awardRecords(source, { type: 'Note', id: row.id })),
  system_note_metadata: { write: metadataRecord, read: (record) => ({ action: actionOf(record) }) },
  events: field.computed<NoteRow>((row, source) =>
    eventRecords(source, { type: typeOf(row.type), id: row.id }),
  ),
  suggestions: field.computed<NoteRow>(suggestionRecords),
  note_diff_file: field.constant(null),
}

/** The notes on an issue, merge request or snippet, oldest first. */
export function noteRecords(
  source: Source,
  noteable: { readonly type: string; readonly id: number },
): Fields[] {
  return notesOf(source, noteable).map((row) => recordOf(FIELDS, row, source))
}

/** The notes on commits. */
export const commit_notes = relation({
  name: 'commit_notes',
  ownerKinds: ['project'],
  *records(source) {
    for (const row of notesOnCommits(source)) yield recordOf(FIELDS, row, source)
  },
  count: countNotesOnCommits,
  importRecord: (record, target) => {
    const commit = shaOf(record, 'commit_id')
    if (commit === null) throw new UnusableRecord("commit_id can't be blank")
    importNote(record, target, { type: 'Commit', sha: commit, project_id: target.owner.id })
  },
})

function suggestionRecords({ id, type }: NoteRow, source: Source): Fields[] {
  if (type !== 'DiffNote') return []
  const rows = dependentRows(source, 'suggestions', { key: 'note_id', id, order: 'relative_order' })
  return rows.map((row) => recordOf(SUGGESTION_FIELDS, row, source))
}

function metadataRecord({ system, action, note, created_at, updated_at }: NoteRow): Fields | null {
  if (!system || action === null) return null
  // Only the text contains the number of commits, which readers need to collapse the list of commits.
  const count = action === 'commit' ? /^added (\d{1,9}) commits?\b/.exec(note)?.[1] : undefined
  return { commit_count: count === undefined ? null : Number(count), action, created_at, updated_at }
}

/** The noteable of imported notes. The activity feed shows `title`. */
type Noteable = NoteSubject & { readonly project_id: number; readonly title?: string }

/** Imports the notes of a record. */
export function importNotes(records: readonly Fields[], target: Target, noteable: Noteable): void {
  importEach(target, 'notes', records, (record) => importNote(record, target, noteable))
}

function importNote(record: Fields, target: Target, noteable: Noteable): void {
  const columns = columnsOf(FIELDS, record, target)
  const { type } = columns as { type: NoteRow['type'] }
  const isResolvable =
    columns['system'] !== true &&
    type !== null &&
    (noteable.type === 'MergeRequest' || noteable.type === 'Issue')
  const id = target.insert('notes', {
    ...columns,
    project_id: noteable.project_id,
    noteable_type: noteable.type,
    noteable_id: noteable.type === 'Commit' ? null : noteable.id,
    commit_id: noteable.type === 'Commit' ? noteable.sha : null,
    about_commit_id: noteable.type === 'MergeRequest' ? shaOf(record, 'commit_id') : null,
    discussion_id: discussionIdOf(record, noteable),
    ...resolution(record, target, isResolvable),
  })
  importAwards(childrenOf(record, 'award_emoji'), target, { type: 'Note', id })
  if (noteable.type === 'MergeRequest' && type === 'DiffNote')
    importEach(target, 'suggestions', childrenOf(record, 'suggestions'), (suggestion) => {
      target.insert('suggestions', { note_id: id, ...columnsOf(SUGGESTION_FIELDS, suggestion, target) })
    })
  const subject = { type: typeOf(type), id, project_id: noteable.project_id }
  importEvents(childrenOf(record, 'events'), target, subject, { iid: id, title: noteable.title ?? null })
}

/**
 * The text of a note. If the author is not found, the importer becomes the author. A line with the original author and
 * the time is added then (spec administration 6.5).
 */
function textWithAuthor(record: Fields, target: Target): string {
  const text = textOf(record, 'note')
  const note = text === null || text.trim() === '' ? BLANK_NOTE : text
  const author = childOf(record, 'author')
  if (author === null || target.person(record['author_id']).isMatched) return note
  const name = requiredText(author, 'name', 255).replaceAll(/[*\r\n]+/g, ' ')
  const time = timeOf(record, 'updated_at') ?? timeOf(record, 'created_at')
  return `${note}\n\n*By ${name}${time === null ? '' : ` on ${time}`} (imported from ${SERVICE_NAME})*`
}

function positionColumns(record: Fields): Row {
  const position = positionOf(record, 'position')
  const path = textOf(record, 'path', 4096)
  const line = record['line']
  if (position !== null || path === null || typeof line !== 'number' || !Number.isInteger(line) || line < 1)
    return { ...columnsOfPosition(position) }
  return { position: null, path, line, line_type: choiceOf(record, 'line_type', ['new', 'old'], 'new') }
}

function resolution(record: Fields, target: Target, isResolvable: boolean): Row {
  const resolved_at = isResolvable ? timeOf(record, 'resolved_at') : null
  return {
    resolvable: isResolvable,
    resolved_at,
    resolved_by_id: resolved_at === null ? null : target.person(record['resolved_by_id']).id,
    resolved_by_push: resolved_at === null ? false : flagOf(record, 'resolved_by_push'),
  }
}

function actionOf(record: Fields): string | null {
  const metadata = flagOf(record, 'system') ? childOf(record, 'system_note_metadata') : null
  return metadata === null ? null : textOf(metadata, 'action', 255)
}

/**
 * The ID of a thread, derived from its noteable and its ID in the archive. A second import creates the same ID, and
 * threads of other projects have different IDs. A note without a thread gets a unique ID.
 */
function discussionIdOf(record: Fields, noteable: Noteable): string {
  const noteableKey = noteable.type === 'Commit' ? noteable.sha : noteable.id
  const key = textOf(record, 'discussion_id', 255) ?? JSON.stringify(record)
  return createHash('sha1')
    .update(`${noteable.project_id} ${noteable.type} ${noteableKey} ${key}`)
    .digest('hex')
}
