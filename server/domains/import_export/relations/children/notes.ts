import { createHash } from 'node:crypto'

import { SERVICE_NAME } from '../../../../lib/aliases.ts'
import { childOf, childrenOf, flagOf, oneOf, requiredText, shaOf, textOf, timeOf } from '../checked.ts'
import type { Fields, Person, Row, Source, Target } from '../relation.ts'
import { awardRecords, takeAwards } from './award_emoji.ts'
import { eventRecords, takeEvents } from './feed.ts'
import { takeEach } from './part.ts'
import { columnsOfPosition, lineCodeOf, positionOf, positionRecord } from './positions.ts'
import type { InProject, NoteSubject } from './subject.ts'
import { suggestionRecords, takeSuggestions } from './suggestions.ts'

/** What a note without a text says. */
const BLANK = '*Blank note*'

/**
 * The text of a note. Where its author is nobody here, a line below says who wrote it and when (spec administration 6.5), for the
 * account it is given to did not.
 */
function noteText(record: Fields, author: Person): string {
  const text = textOf(record, 'note')
  const said = text === null || text.trim() === '' ? BLANK : text
  const named = childOf(record, 'author')
  if (author.known || named === null) return said
  const name = requiredText(named, 'name', 255).replaceAll(/[*\r\n]+/g, ' ')
  const at = timeOf(record, 'updated_at') ?? timeOf(record, 'created_at')
  return `${said}\n\n*By ${name}${at === null ? '' : ` on ${at}`} (imported from ${SERVICE_NAME})*`
}

/** A note as it is read. */
export interface NoteToWrite {
  readonly id: number
  readonly project_id: number | null
  readonly noteable_type: string
  readonly commit_id: string | null
  readonly about_commit_id: string | null
  readonly discussion_id: string
  readonly type: 'DiscussionNote' | 'DiffNote' | null
  readonly author_id: number
  readonly author_name: string
  readonly note: string
  readonly system: boolean
  readonly internal: boolean
  readonly position: string | null
  readonly original_position: string | null
  readonly path: string | null
  readonly line: number | null
  readonly line_type: 'new' | 'old' | null
  readonly action: string | null
  readonly resolved_at: string | null
  readonly resolved_by_id: number | null
  readonly resolved_by_push: boolean
  readonly created_at: string
  readonly updated_at: string
  readonly last_edited_at: string | null
}

/** Notes with the names of their authors; a condition on `n` follows. */
export const SELECT_NOTES =
  'SELECT n.*, u.name AS author_name FROM notes n JOIN users u ON u.id = n.author_id'

/** The notes under something, in the order they were written. A commit belongs to the project that is written. */
export function noteRecords(from: Source, noteable: NoteSubject): Fields[] {
  const rows =
    noteable.type === 'Commit'
      ? from.db.many<NoteToWrite>(
          `${SELECT_NOTES} WHERE n.project_id = ? AND n.commit_id = ? AND n.noteable_id IS NULL ORDER BY n.id`,
          from.owner.id,
          noteable.sha,
        )
      : from.db.many<NoteToWrite>(
          `${SELECT_NOTES} WHERE n.noteable_type = ? AND n.noteable_id = ? ORDER BY n.id`,
          noteable.type,
          noteable.id,
        )
  return rows.map((row) => noteRecord(from, row))
}

/** One note as a record. */
export function noteRecord(from: Source, row: NoteToWrite): Fields {
  const position = positionRecord(row.position)
  const hasDiff = row.type === 'DiffNote'
  return {
    note: row.note,
    noteable_type: row.noteable_type,
    author_id: row.author_id,
    created_at: row.created_at,
    updated_at: row.updated_at,
    project_id: row.project_id,
    attachment: { url: null },
    line_code: hasDiff ? lineCodeOf(position) : null,
    commit_id: row.commit_id ?? row.about_commit_id,
    system: row.system,
    st_diff: null,
    updated_by_id: null,
    type: row.type,
    position,
    original_position: positionRecord(row.original_position) ?? position,
    change_position: null,
    resolved_at: row.resolved_at,
    resolved_by_id: row.resolved_by_id,
    resolved_by_push: row.resolved_at === null ? null : row.resolved_by_push,
    discussion_id: row.discussion_id,
    confidential: row.internal,
    internal: row.internal,
    last_edited_at: row.last_edited_at,
    // The simple place of a comment under a commit, which has no other.
    ...(position === null && row.line !== null
      ? { path: row.path, line: row.line, line_type: row.line_type }
      : {}),
    author: { name: row.author_name },
    award_emoji: awardRecords(from, { type: 'Note', id: row.id }),
    system_note_metadata: metadataRecord(row),
    events: eventRecords(from, { type: row.type ?? 'Note', id: row.id }),
    suggestions: hasDiff ? suggestionRecords(from, row.id) : [],
    note_diff_file: null,
  }
}

function metadataRecord({ system, action, note, created_at, updated_at }: NoteToWrite): Fields | null {
  if (!system || action === null) return null
  // How many commits a note tells of stands in its words alone; readers fold its list by the number.
  const told = action === 'commit' ? /^added (\d{1,9}) commits?\b/.exec(note)?.[1] : undefined
  return { commit_count: told === undefined ? null : Number(told), action, created_at, updated_at }
}

/**
 * Takes over the notes under something. Threads stay together under names of their own: the names of the archive may be in
 * use here, when it was made here.
 */
export function takeNotes(
  records: readonly Fields[],
  into: Target,
  noteable: InProject<NoteSubject> & { readonly title?: string },
): void {
  takeEach(into, 'notes', records, (record) => takeNote(record, into, noteable))
}

/** Takes over one note. Throws UnusableRecord. */
export function takeNote(
  record: Fields,
  into: Target,
  noteable: InProject<NoteSubject> & { readonly title?: string },
): void {
  const author = into.person(record['author_id'])
  const system = flagOf(record, 'system')
  const type = oneOf(record, 'type', ['DiscussionNote', 'DiffNote'], 'DiscussionNote')
  const kept = record['type'] === type ? type : null
  const created_at = timeOf(record, 'created_at') ?? into.now
  const isResolvable =
    !system && kept !== null && (noteable.type === 'MergeRequest' || noteable.type === 'Issue')
  const commit = shaOf(record, 'commit_id')
  const original = positionOf(record, 'original_position')
  const id = into.insert('notes', {
    project_id: noteable.project_id,
    noteable_type: noteable.type,
    noteable_id: noteable.type === 'Commit' ? null : noteable.id,
    commit_id: noteable.type === 'Commit' ? noteable.sha : null,
    about_commit_id: noteable.type === 'MergeRequest' ? commit : null,
    discussion_id: threadOf(record, noteable),
    type: kept,
    author_id: author.id,
    note: noteText(record, author),
    system,
    internal: flagOf(record, 'internal') || flagOf(record, 'confidential'),
    ...positionColumns(record),
    original_position: original === null ? null : JSON.stringify(original),
    action: system ? actionOf(record) : null,
    ...resolution(record, into, isResolvable),
    created_at,
    updated_at: timeOf(record, 'updated_at') ?? created_at,
    last_edited_at: timeOf(record, 'last_edited_at'),
  })
  takeParts(record, into, noteable, { id, type: kept ?? 'Note' })
}

function takeParts(
  record: Fields,
  into: Target,
  noteable: InProject<NoteSubject> & { readonly title?: string },
  { id, type }: { id: number; type: 'Note' | 'DiffNote' | 'DiscussionNote' },
): void {
  takeAwards(childrenOf(record, 'award_emoji'), into, { type: 'Note', id })
  if (noteable.type === 'MergeRequest' && type === 'DiffNote')
    takeSuggestions(childrenOf(record, 'suggestions'), into, id)
  const shown = { iid: id, title: noteable.title ?? null }
  takeEvents(childrenOf(record, 'events'), into, { type, id, project_id: noteable.project_id }, shown)
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
  const metadata = childOf(record, 'system_note_metadata')
  return metadata === null ? null : textOf(metadata, 'action', 255)
}

/** Names of threads are made of what they are under, so that a second run makes the same, and no other project has them. */
function threadOf(record: Fields, noteable: InProject<NoteSubject>): string {
  const under = noteable.type === 'Commit' ? noteable.sha : noteable.id
  // A note without a thread is one of its own.
  const named = textOf(record, 'discussion_id', 255) ?? JSON.stringify(record)
  return createHash('sha1').update(`${noteable.project_id} ${noteable.type} ${under} ${named}`).digest('hex')
}
