import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { addTodos } from './add.ts'
import { finishFor } from './done.ts'
import { calledBy, type Called } from './mentions.ts'
import * as store from './store.ts'
import { commitSubject, issuableSubject, mayRead, type Subject } from './subject.ts'
import type { TodoAction } from './todo.ts'

/** Items about an issue or merge request for those of these users who may read it. */
export function addFor(
  ctx: Ctx,
  subject: Subject | undefined,
  action: TodoAction,
  by: { author_id: number | null; users: readonly number[] },
): void {
  const author = by.author_id ?? subject?.author_id
  if (!subject || author === null || author === undefined) return
  const users = by.users.filter((id) => mayRead(ctx, subject, id))
  tx(ctx.db, () => addTodos(ctx, { action, subject, author_id: author }, users))
}

/** Puts an issue or merge request on a user's list who asked for that by a command; once is enough. */
export function markFor(ctx: Ctx, of: { kind: 'Issue' | 'MergeRequest'; id: number; user_id: number }): void {
  const subject = issuableSubject(ctx, of.kind, of.id)
  if (!subject || store.pendingOf(ctx.db, subject, of.user_id)) return
  addFor(ctx, subject, 'marked', { author_id: of.user_id, users: [of.user_id] })
}

function addCalled(
  ctx: Ctx,
  subject: Subject,
  called: Called,
  by: { author_id: number; note_id: number | null },
): void {
  addTodos(ctx, { action: 'directly_addressed', subject, ...by }, called.directly)
  addTodos(ctx, { action: 'mentioned', subject, ...by }, called.otherwise)
}

/** The words of an issue or merge request that can call people. */
export interface Words {
  readonly title?: string | undefined
  readonly description?: string | null | undefined
}

/** Whom title and description of an issue or merge request call, and did not call before. */
export async function tellCalled(
  ctx: Ctx,
  of: { type: 'Issue' | 'MergeRequest'; id: number; actor_id: number | null },
  previous?: Words,
): Promise<void> {
  if (previous && previous.title === undefined && previous.description === undefined) return
  const subject = issuableSubject(ctx, of.type, of.id)
  const author_id = of.actor_id ?? subject?.author_id
  if (!subject || !author_id) return
  const text = wordsOf(subject)
  const before = previous ? wordsOf({ ...subject, ...definedOf(previous) }) : null
  const called = await calledBy(ctx, subject, { text, before, author_id })
  tx(ctx.db, () => addCalled(ctx, subject, called, { author_id, note_id: null }))
}

function wordsOf({ title, description }: Words): string {
  return `${title ?? ''}\n\n${description ?? ''}`
}

function definedOf(words: Words): Words {
  return Object.fromEntries(Object.entries(words).filter(([, value]) => value !== undefined))
}

/** A note as events tell of it. */
export interface NoteEvent {
  readonly note_id: number
  readonly project_id: number | null
  readonly noteable_type: string
  readonly noteable_id: number | null
  readonly commit_id: string | null
  readonly author_id: number
  readonly system: boolean
  readonly internal: boolean
}

/** What a note is written under, where items are made about that; snippets have none. */
function subjectOf(ctx: Ctx, event: NoteEvent): Subject | undefined {
  const { noteable_type: type, noteable_id: id, project_id, commit_id } = event
  if ((type === 'Issue' || type === 'MergeRequest') && id !== null) return issuableSubject(ctx, type, id)
  return type === 'Commit' && project_id !== null && commit_id !== null
    ? commitSubject(ctx, project_id, commit_id)
    : undefined
}

/** A note was written or changed: who wrote it has dealt with the thing, and whom it calls has something to do. */
export async function tellOfNote(ctx: Ctx, event: NoteEvent, isNew: boolean): Promise<void> {
  if (event.system) return
  const subject = subjectOf(ctx, event)
  const note = ctx.db.one<{ note: string }>('SELECT note FROM notes WHERE id = ?', event.note_id)
  if (!subject || !note) return
  const { author_id, note_id, internal } = event
  const called = await calledBy(ctx, subject, { text: note.note, author_id, internal })
  tx(ctx.db, () => {
    const isStillThere = ctx.db.one('SELECT 1 FROM notes WHERE id = ?', note_id)
    if (!isStillThere) return
    if (isNew) finishFor(ctx, subject, author_id)
    addCalled(ctx, subject, called, { author_id, note_id })
  })
}
