import type { WorldDiscussion, WorldNote } from '../model/schema.ts'
import type { ApplyRun } from './apply-run.ts'

interface Note {
  readonly body: string
  readonly author: { readonly username: string }
  readonly system: boolean
  readonly resolved?: boolean
}

interface Discussion {
  readonly id: string
  readonly individual_note: boolean
  readonly notes: readonly Note[]
}

/** The comments of an issue or merge request in a world. */
interface Comments {
  readonly notes?: readonly WorldNote[] | undefined
  readonly discussions?: readonly WorldDiscussion[] | undefined
}

/** The issue or merge request that the comments are about. */
interface Target {
  /** The first part of the routes. */
  readonly route: string
  /** The parameters of the routes. */
  readonly path: Readonly<Record<string, number>>
  /** The time of comments without one. */
  readonly at: string | undefined
  /** The position of a thread in a diff. */
  readonly positionOf?: (discussion: WorldDiscussion) => Promise<object | undefined>
}

/** Creates missing comments and threads. If several have the same text, each existing one is matched once. */
export async function applyComments(
  run: ApplyRun,
  target: Target,
  { notes = [], discussions = [] }: Comments,
): Promise<void> {
  if (notes.length + discussions.length === 0) return
  const { route, path, at } = target
  const rows = await run.all<Discussion>(`GET ${route}/discussions`, path)
  const existing = rows.filter(({ notes: [first] }) => first?.system === false)
  const take = (entry: WorldNote, isSingle: boolean, mayDiffer: boolean) => {
    const matches = existing.filter(({ notes: [first] }) => isSameNote(first!, entry.author, entry.text))
    const sameKind = matches.find(({ individual_note }) => individual_note === isSingle)
    const match = sameKind ?? (mayDiffer ? matches[0] : undefined)
    if (match) existing.splice(existing.indexOf(match), 1)
    return match
  }
  // A reply turns a single comment into a thread, so one of the other kind is the same unless the world has both.
  const isUnique = (entry: WorldNote, others: readonly WorldNote[]) =>
    others.every(({ author, text }) => author !== entry.author || text !== entry.text)
  for (const note of notes) {
    if (take(note, true, isUnique(note, discussions))) run.countExisting('notes')
    else
      await run.step(note, `a note of ${note.author}`, async () => {
        await run.call(run.contextOf(note.author, note.at ?? at), `POST ${route}/notes`, {
          ...path,
          body: note.text,
        })
        run.countCreated('notes')
      })
  }
  for (const discussion of discussions) {
    const mayBeSingle = !hasAnswers(discussion) && isUnique(discussion, notes)
    await run.step(discussion, `the discussion of ${discussion.author}`, () =>
      applyThread(run, target, discussion, take(discussion, false, mayBeSingle)),
    )
  }
}

const hasAnswers = ({ replies = [], resolved_by }: WorldDiscussion) =>
  replies.length > 0 || resolved_by !== undefined

async function applyThread(
  run: ApplyRun,
  { route, path, at: after, positionOf }: Target,
  discussion: WorldDiscussion,
  existing: Discussion | undefined,
): Promise<void> {
  const { author, text, resolved_by, resolved_at, replies = [] } = discussion
  const at = discussion.at ?? after
  if (existing) run.countExisting('discussions')
  const position = existing ? undefined : await positionOf?.(discussion)
  const thread =
    existing ??
    (await run.call<Discussion>(run.contextOf(author, at), `POST ${route}/discussions`, {
      ...path,
      body: text,
      position,
    }))
  if (!existing) run.countCreated('discussions')
  const threadPath = { ...path, discussion_id: thread.id }
  const existingReplies = thread.notes.slice(1)
  for (const reply of replies) {
    const index = existingReplies.findIndex((note) => isSameNote(note, reply.author, reply.text))
    if (index >= 0) {
      existingReplies.splice(index, 1)
      run.countExisting('notes')
      continue
    }
    await run.step(reply, `the reply of ${reply.author}`, () =>
      run.call(
        run.contextOf(reply.author, reply.at ?? at),
        `POST ${route}/discussions/:discussion_id/notes`,
        {
          ...threadPath,
          body: reply.text,
        },
      ),
    )
    run.countCreated('notes')
  }
  if (resolved_by !== undefined && !thread.notes[0]?.resolved)
    await run.call(run.contextOf(resolved_by, resolved_at ?? at), `PUT ${route}/discussions/:discussion_id`, {
      ...threadPath,
      resolved: true,
    })
}

function isSameNote({ author, body }: Note, username: string, text: string): boolean {
  return author.username === username && body.trim() === text.trim()
}
