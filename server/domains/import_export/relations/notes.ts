import { createHash } from 'node:crypto'
import { SERVICE_NAME } from '../../../lib/aliases.ts'
import { awardRecords, eventRecords, importAwards, importEvents, type EventTarget } from './activity.ts'
import { childOf, childrenOf, flagOf, oneOf, requiredText, shaOf, textOf, timeOf } from './checked.ts'
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
import { partsOf } from './store.ts'
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

/** The position of a note in a diff, as columns keep it. */
interface NotePosition {
  readonly position: string | null
  readonly path: string | null
  readonly line: number | null
  readonly line_type: 'new' | 'old' | null
}

/** A position that a column keeps as JSON; null if there is none. */
function positionRecord(stored: string | null): Fields | null {
  return stored === null ? null : (JSON.parse(stored) as Fields)
}

/** The name of the line of a position, as readers of archives expect it: digest of the path, old line, new line. */
function lineCodeOf(position: Fields | null): string | null {
  if (position === null || position['position_type'] !== 'text') return null
  const path = String(position['new_path'] ?? position['old_path'] ?? '')
  const digest = createHash('sha1').update(path).digest('hex')
  return `${digest}_${Number(position['old_line'] ?? 0)}_${Number(position['new_line'] ?? 0)}`
}

/** A position of a record, as columns keep it; null if there is none. Throws UnusableRecord for an invalid one. */
function positionOf(record: Fields, name: string): Fields | null {
  const fields = parsed(record[name])
  if (fields === null) return null
  const type = fields['position_type'] === 'image' ? 'image' : 'text'
  const old_path = pathOf(fields['old_path']) ?? pathOf(fields['new_path'])
  const new_path = pathOf(fields['new_path']) ?? old_path
  if (old_path === null || new_path === null) throw new UnusableRecord(`${name} is invalid`)
  const at = {
    base_sha: commitOf(fields, 'base_sha', name),
    start_sha: commitOf(fields, 'start_sha', name),
    head_sha: commitOf(fields, 'head_sha', name),
    old_path,
    new_path,
    position_type: type,
  }
  if (type === 'image') {
    const [width, height, x, y] = ['width', 'height', 'x', 'y'].map((key) => numberOf(fields[key]))
    return { ...at, width: width!, height: height!, x: x!, y: y! }
  }
  const old_line = lineOf(fields['old_line'])
  const new_line = lineOf(fields['new_line'])
  if (old_line === null && new_line === null) throw new UnusableRecord(`${name} is invalid`)
  return { ...at, old_line, new_line, line_range: rangeOf(fields['line_range'] ?? null) }
}

/** The columns of a note with a position; they also contain its older form. */
function columnsOfPosition(at: Fields | null): NotePosition {
  if (at === null) return { position: null, path: null, line: null, line_type: null }
  const position = JSON.stringify(at)
  if (at['position_type'] === 'image')
    return { position, path: String(at['new_path']), line: null, line_type: null }
  const isNew = at['new_line'] !== null
  return {
    position,
    path: String(isNew ? at['new_path'] : at['old_path']),
    line: Number(isNew ? at['new_line'] : at['old_line']),
    line_type: isNew ? 'new' : 'old',
  }
}

/** Some releases write a position as text. */
function parsed(value: Json | undefined): Fields | null {
  if (typeof value === 'string' && value !== '') {
    try {
      return parsed(JSON.parse(value) as Json)
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
/** The text of a note without one. */
const BLANK = '*Blank note*'

const SUGGESTION_FIELDS: ColumnMap = {
  relative_order: field.integer({ min: 0, max: 10_000 }, 0),
  applied: field.flag(),
  commit_id: field.sha(),
  from_content: field.text(undefined, ''),
  to_content: field.text(undefined, ''),
  lines_above: field.integer({ min: 0, max: 100 }, 0),
  lines_below: field.integer({ min: 0, max: 100 }, 0),
  outdated: field.always(false),
}

/** The type of a note in the activity feed. */
const typeOf = (type: NoteRow['type']): EventTarget['type'] =>
  TYPES.find((candidate) => candidate === type) ?? 'Note'
const isSimple = (row: NoteRow): boolean => row.position === null && row.line !== null

/** Fields that do not depend on the noteable; `takeNote` adds the others. */
const FIELDS: ColumnMap<NoteRow> = {
  note: { write: (row) => row.note, read: (record, into) => ({ note: textWithAuthor(record, into) }) },
  noteable_type: field.shown(),
  author_id: field.person(),
  created_at: field.timeOrNow(),
  updated_at: field.updatedAt(),
  project_id: field.shown(),
  attachment: field.always({ url: null }),
  line_code: field.written<NoteRow>((row) =>
    row.type === 'DiffNote' ? lineCodeOf(positionRecord(row.position)) : null,
  ),
  commit_id: field.written<NoteRow>((row) => row.commit_id ?? row.about_commit_id),
  system: field.flag(),
  st_diff: field.always(null),
  updated_by_id: field.always(null),
  type: field.column((record, name) => TYPES.find((type) => type === record[name]) ?? null),
  position: {
    write: (row) => positionRecord(row.position),
    read: positionColumns,
  },
  original_position: {
    write: (row) => positionRecord(row.original_position) ?? positionRecord(row.position),
    read: (record, _into, name) => {
      const original = positionOf(record, name)
      return { original_position: original === null ? null : JSON.stringify(original) }
    },
  },
  change_position: field.always(null),
  resolved_at: field.shown(),
  resolved_by_id: field.shown(),
  resolved_by_push: field.written<NoteRow>((row) => (row.resolved_at === null ? null : row.resolved_by_push)),
  discussion_id: field.shown(),
  confidential: field.shown('internal'),
  internal: field.column((record) => flagOf(record, 'internal') || flagOf(record, 'confidential')),
  last_edited_at: field.time(),
  // The older form of a position, which comments on commits have.
  path: field.written<NoteRow>((row) => (isSimple(row) ? row.path : undefined)),
  line: field.written<NoteRow>((row) => (isSimple(row) ? row.line : undefined)),
  line_type: field.written<NoteRow>((row) => (isSimple(row) ? row.line_type : undefined)),
  author: field.written<NoteRow>((row) => ({ name: row.author_name })),
  award_emoji: field.written<NoteRow>((row, from) => awardRecords(from, { type: 'Note', id: row.id })),
  system_note_metadata: { write: metadataRecord, read: (record) => ({ action: actionOf(record) }) },
  events: field.written<NoteRow>((row, from) => eventRecords(from, { type: typeOf(row.type), id: row.id })),
  suggestions: field.written<NoteRow>(suggestionRecords),
  note_diff_file: field.always(null),
}

/** The notes on an issue, merge request or snippet, oldest first. */
export function noteRecords(
  from: Source,
  noteable: { readonly type: string; readonly id: number },
): Fields[] {
  return notesOf(from, noteable).map((row) => recordOf(FIELDS, row, from))
}

/** The notes on commits. */
export const commit_notes = relation({
  name: 'commit_notes',
  of: ['project'],
  *records(from) {
    for (const row of notesOnCommits(from)) yield recordOf(FIELDS, row, from)
  },
  count: countNotesOnCommits,
  importRecord: (record, into) => {
    const commit = shaOf(record, 'commit_id')
    if (commit === null) throw new UnusableRecord("commit_id can't be blank")
    importNote(record, into, { type: 'Commit', sha: commit, project_id: into.owner.id })
  },
})

function suggestionRecords({ id, type }: NoteRow, from: Source): Fields[] {
  if (type !== 'DiffNote') return []
  const rows = partsOf(from, 'suggestions', { key: 'note_id', id, order: 'relative_order' })
  return rows.map((row) => recordOf(SUGGESTION_FIELDS, row, from))
}

function metadataRecord({ system, action, note, created_at, updated_at }: NoteRow): Fields | null {
  if (!system || action === null) return null
  // The text alone has the number of commits; readers fold its list by the number.
  const count = action === 'commit' ? /^added (\d{1,9}) commits?\b/.exec(note)?.[1] : undefined
  return { commit_count: count === undefined ? null : Number(count), action, created_at, updated_at }
}

/** The noteable that notes are imported for. The activity feed shows them under `title`. */
type Noteable = NoteSubject & { readonly project_id: number; readonly title?: string }

/** Imports the notes of a record. */
export function importNotes(records: readonly Fields[], into: Target, noteable: Noteable): void {
  importEach(into, 'notes', records, (record) => importNote(record, into, noteable))
}

function importNote(record: Fields, into: Target, noteable: Noteable): void {
  const columns = columnsOf(FIELDS, record, into)
  const { type } = columns as { type: NoteRow['type'] }
  const isResolvable =
    columns['system'] !== true &&
    type !== null &&
    (noteable.type === 'MergeRequest' || noteable.type === 'Issue')
  const id = into.insert('notes', {
    ...columns,
    project_id: noteable.project_id,
    noteable_type: noteable.type,
    noteable_id: noteable.type === 'Commit' ? null : noteable.id,
    commit_id: noteable.type === 'Commit' ? noteable.sha : null,
    about_commit_id: noteable.type === 'MergeRequest' ? shaOf(record, 'commit_id') : null,
    discussion_id: threadOf(record, noteable),
    ...resolution(record, into, isResolvable),
  })
  importAwards(childrenOf(record, 'award_emoji'), into, { type: 'Note', id })
  if (noteable.type === 'MergeRequest' && type === 'DiffNote')
    importEach(into, 'suggestions', childrenOf(record, 'suggestions'), (suggestion) => {
      into.insert('suggestions', { note_id: id, ...columnsOf(SUGGESTION_FIELDS, suggestion, into) })
    })
  const target = { type: typeOf(type), id, project_id: noteable.project_id }
  importEvents(childrenOf(record, 'events'), into, target, { iid: id, title: noteable.title ?? null })
}

/**
 * The text of a note. A note by an unknown author gets a line with the author and the time (spec administration
 * 6.5), because the importer, who becomes the author, did not write it.
 */
function textWithAuthor(record: Fields, into: Target): string {
  const text = textOf(record, 'note')
  const note = text === null || text.trim() === '' ? BLANK : text
  const author = childOf(record, 'author')
  if (author === null || into.person(record['author_id']).known) return note
  const name = requiredText(author, 'name', 255).replaceAll(/[*\r\n]+/g, ' ')
  const at = timeOf(record, 'updated_at') ?? timeOf(record, 'created_at')
  return `${note}\n\n*By ${name}${at === null ? '' : ` on ${at}`} (imported from ${SERVICE_NAME})*`
}

function positionColumns(record: Fields): Row {
  const position = positionOf(record, 'position')
  const path = textOf(record, 'path', 4096)
  const line = record['line']
  if (position !== null || path === null || typeof line !== 'number' || !Number.isInteger(line) || line < 1)
    return { ...columnsOfPosition(position) }
  return { position: null, path, line, line_type: oneOf(record, 'line_type', ['new', 'old'], 'new') }
}

function resolution(record: Fields, into: Target, isResolvable: boolean): Row {
  const resolved_at = isResolvable ? timeOf(record, 'resolved_at') : null
  return {
    resolvable: isResolvable,
    resolved_at,
    resolved_by_id: resolved_at === null ? null : into.person(record['resolved_by_id']).id,
    resolved_by_push: resolved_at === null ? false : flagOf(record, 'resolved_by_push'),
  }
}

function actionOf(record: Fields): string | null {
  const metadata = flagOf(record, 'system') ? childOf(record, 'system_note_metadata') : null
  return metadata === null ? null : textOf(metadata, 'action', 255)
}

/**
 * The id of a thread, derived from its noteable and its id in the archive. A second import creates the same id, and
 * threads of other projects have different ids. A note without a thread gets an id of its own.
 */
function threadOf(record: Fields, noteable: Noteable): string {
  const noteableKey = noteable.type === 'Commit' ? noteable.sha : noteable.id
  const key = textOf(record, 'discussion_id', 255) ?? JSON.stringify(record)
  return createHash('sha1')
    .update(`${noteable.project_id} ${noteable.type} ${noteableKey} ${key}`)
    .digest('hex')
}
