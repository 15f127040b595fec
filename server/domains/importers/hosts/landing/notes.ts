import type { NoteRow, Position } from '../../../discussions/index.ts'
import { landed, once, thingAt, type ImportTarget } from './target.ts'
import type { NewNote } from './inputs.ts'
import { insertNote } from './note-row.ts'
import { accountOf, signedText } from './people.ts'
import { maybeTime, textOf, timeOf } from './texts.ts'

/** Notes at lines and others have one numbering, so that one can answer the other. */
export const NOTE = 'note'

/** See Landing.note. */
export function landNote(target: ImportTarget, given: NewNote): number | null {
  return once(target, NOTE, given.source_key, () => writeNote(target, given, null))
}

type Thread = Pick<NoteRow, 'id' | 'discussion_id' | 'type' | 'position' | 'noteable_id' | 'noteable_type'>

/** The note that is answered, where it was landed under the same thing. */
export function threadOf(target: ImportTarget, given: NewNote): Thread | undefined {
  const id = given.reply_to ? landed(target, NOTE, given.reply_to) : undefined
  if (id == null) return undefined
  const sql = 'SELECT id, discussion_id, type, position, noteable_id, noteable_type FROM notes WHERE id = ?'
  const row = target.ctx.db.one<Thread>(sql, id)
  const { kind, iid } = given.on
  return row?.noteable_type === kind && row.noteable_id === thingAt(target, { kind, iid }).id
    ? row
    : undefined
}

/** Writes a note, at a place or as an answer. Inside the caller's transaction; null for a text that is empty. */
export function writeNote(
  target: ImportTarget,
  given: NewNote,
  position: Position | null,
  body = given.body,
): number | null {
  if (textOf(body).trim() === '') return null
  const author = accountOf(target, given.author)
  const thread = threadOf(target, given)
  if (thread?.type === null) becomeThread(target, thread, given.on.kind)
  const place = thread?.position ? (JSON.parse(thread.position) as Position) : thread ? null : position
  const created_at = timeOf(given.created_at)
  return insertNote(target, {
    on: { kind: given.on.kind, id: thingAt(target, given.on).id },
    author_id: author.id,
    note: signedText(target, author, given.author, body),
    created_at,
    updated_at: maybeTime(given.updated_at) ?? created_at,
    discussion_id: thread?.discussion_id,
    position: place,
    type: place ? 'DiffNote' : thread ? 'DiscussionNote' : null,
    resolved: given.resolved
      ? { by: accountOf(target, given.resolved.by).id, at: timeOf(given.resolved.at) }
      : null,
  })
}

/** A single note that is answered begins a thread. */
function becomeThread({ ctx }: ImportTarget, thread: Thread, kind: NewNote['on']['kind']): void {
  const resolvable = kind === 'MergeRequest' ? 1 : 0
  ctx.db.exec("UPDATE notes SET type = 'DiscussionNote', resolvable = ? WHERE id = ?", resolvable, thread.id)
}
