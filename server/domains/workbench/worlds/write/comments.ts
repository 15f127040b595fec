import type { WorldDiscussion, WorldIssue, WorldNote } from '../model/schema.ts'
import { type Entry, list, type WorldWriter, time } from './world-writer.ts'
import type { NoteRow } from './store-issuables.ts'

/** What people may do with the comments of an issue or merge request in the applied world. */
export interface CommentRules {
  /** The issue or merge request, for the list of omissions. */
  readonly reference: string
  readonly mayWrite: (author: number) => boolean
  readonly mayResolve: (user: number | null) => boolean
  /** The position of a thread in a diff. */
  readonly positionOf?: (first: NoteRow) => Entry<WorldDiscussion>
}

/** The single comments and the threads of an issue or merge request. */
export function commentsOf(
  writer: WorldWriter,
  rows: readonly NoteRow[],
  rules: CommentRules,
): { notes: WorldIssue['notes']; discussions: WorldDiscussion[] | undefined } {
  const notes: Entry<WorldNote>[] = []
  const discussions: Entry<WorldDiscussion>[] = []
  for (const [first, ...replies] of Map.groupBy(rows, (row) => row.discussion_id).values()) {
    if (!rules.mayWrite(first!.author_id))
      writer.omissions.add(
        'comments of people who can no longer write them',
        rules.reference,
        1 + replies.length,
      )
    else if (first!.type === null) notes.push(noteOf(writer, first!))
    else discussions.push(threadOf(writer, first!, replies, rules))
  }
  return {
    notes: list(notes) as WorldIssue['notes'],
    discussions: list(discussions) as WorldDiscussion[] | undefined,
  }
}

function noteOf(writer: WorldWriter, { author_id, note, created_at }: NoteRow): Entry<WorldNote> {
  return { author: writer.name(author_id), text: note, at: time(created_at) }
}

function threadOf(
  writer: WorldWriter,
  first: NoteRow,
  rest: readonly NoteRow[],
  { reference, mayWrite, mayResolve, positionOf }: CommentRules,
): Entry<WorldDiscussion> {
  const replies = rest.filter(({ author_id }) => {
    if (mayWrite(author_id)) return true
    writer.omissions.add('comments of people who can no longer write them', reference)
    return false
  })
  const resolvable = [first, ...rest].filter((note) => note.resolvable)
  const isResolved = resolvable.length > 0 && resolvable.every((note) => note.resolved_at !== null)
  const { resolved_by_id, resolved_at } = first
  const thread = { ...noteOf(writer, first), ...positionOf?.(first) }
  const end = isResolved
    ? {
        resolved_by: mayResolve(resolved_by_id) ? writer.name(resolved_by_id) : writer.writerName,
        resolved_at: time(resolved_at),
      }
    : {}
  return {
    ...thread,
    ...end,
    replies: list(replies.map((note) => noteOf(writer, note))) as WorldDiscussion['replies'],
  }
}
