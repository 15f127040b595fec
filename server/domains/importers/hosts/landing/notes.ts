import type { NoteRow, Position } from '../../../discussions/index.ts'
import { landed, once, thingAt, type Ground } from './ground.ts'
import type { NewNote } from './inputs.ts'
import { insertNote } from './note-row.ts'
import { accountOf, signedText } from './people.ts'
import { maybeTime, textOf, timeOf } from './texts.ts'

/** Notes at lines and others have one numbering, so that one can answer the other. */
export const NOTE = 'note'

/** See Landing.note. */
export function landNote(ground: Ground, given: NewNote): number | null {
  return once(ground, NOTE, given.source_key, () => writeNote(ground, given, null))
}

type Thread = Pick<NoteRow, 'id' | 'discussion_id' | 'type' | 'position' | 'noteable_id' | 'noteable_type'>

/** The note that is answered, where it was landed under the same thing. */
export function threadOf(ground: Ground, given: NewNote): Thread | undefined {
  const id = given.reply_to ? landed(ground, NOTE, given.reply_to) : undefined
  if (id == null) return undefined
  const sql = 'SELECT id, discussion_id, type, position, noteable_id, noteable_type FROM notes WHERE id = ?'
  const row = ground.ctx.db.one<Thread>(sql, id)
  const { kind, iid } = given.on
  return row?.noteable_type === kind && row.noteable_id === thingAt(ground, { kind, iid }).id
    ? row
    : undefined
}

/** Writes a note, at a place or as an answer. Inside the caller's transaction; null for a text that is empty. */
export function writeNote(
  ground: Ground,
  given: NewNote,
  position: Position | null,
  body = given.body,
): number | null {
  if (textOf(body).trim() === '') return null
  const author = accountOf(ground, given.author)
  const thread = threadOf(ground, given)
  if (thread?.type === null) becomeThread(ground, thread, given.on.kind)
  const place = thread?.position ? (JSON.parse(thread.position) as Position) : thread ? null : position
  const created_at = timeOf(given.created_at)
  return insertNote(ground, {
    on: { kind: given.on.kind, id: thingAt(ground, given.on).id },
    author_id: author.id,
    note: signedText(ground, author, given.author, body),
    created_at,
    updated_at: maybeTime(given.updated_at) ?? created_at,
    discussion_id: thread?.discussion_id,
    position: place,
    type: place ? 'DiffNote' : thread ? 'DiscussionNote' : null,
    resolved: given.resolved
      ? { by: accountOf(ground, given.resolved.by).id, at: timeOf(given.resolved.at) }
      : null,
  })
}

/** A single note that is answered begins a thread. */
function becomeThread({ ctx }: Ground, thread: Thread, kind: NewNote['on']['kind']): void {
  const resolvable = kind === 'MergeRequest' ? 1 : 0
  ctx.db.exec("UPDATE notes SET type = 'DiscussionNote', resolvable = ? WHERE id = ?", resolvable, thread.id)
}
