import type { Ctx } from '../../../../ctx.ts'
import { tx } from '../../../../db/database.ts'
import type { Rows } from '../../../../db/rows.ts'
import { fail, invalid, notFound } from '../../../../lib/fail.ts'
import {
  runQuickActions,
  checkMayResolve,
  checkReply,
  createNote,
  findThread,
  MAX_NOTE,
  parseQuickActions,
  positionIn,
  reply,
  resolveDiscussion,
  type Command,
  type PositionInput,
  type NewSuggestion,
  type Position,
  type CommentTarget,
} from '../../../discussions/index.ts'
import { setReviewState } from '../../approvals/store.ts'
import * as store from './store.ts'
import type { DraftRow } from './store.ts'

/** The merge request that draft notes are on, with what the actor may do there. */
export type DraftTarget = CommentTarget

/** The content of a draft note. In updates, undefined fields stay unchanged. */
export interface DraftInput {
  readonly note?: string | undefined
  readonly in_reply_to_discussion_id?: string | undefined
  readonly resolve_discussion?: boolean | undefined
  readonly commit_id?: string | undefined
  readonly position?: PositionInput | undefined
}

function ownerOf(ctx: Ctx, { target }: DraftTarget): store.DraftOwner {
  if (ctx.actor.kind !== 'user') throw fail('unauthorized')
  return { merge_request_id: target.noteable.id!, author_id: ctx.actor.id }
}

/** Lists the draft notes of the actor, oldest first. Drafts of other users are never visible. */
export function findDrafts(
  ctx: Ctx,
  target: DraftTarget,
  page?: { limit: number; offset: number },
): Rows<DraftRow> {
  return store.list(ctx.db, ownerOf(ctx, target), page)
}

/** Returns a draft note of the actor. Throws 404. */
export function getDraft(ctx: Ctx, target: DraftTarget, id: number): DraftRow {
  const row = store.byId(ctx.db, ownerOf(ctx, target), id)
  if (!row) throw notFound('Draft Note')
  return row
}

function checkText(note: string): void {
  if (note.trim() === '') throw invalid({ note: "can't be blank" })
  if (note.length > MAX_NOTE) throw invalid({ note: `is too long (maximum is ${MAX_NOTE} characters)` })
}

/** Throws 400 unless the discussion to reply to exists and accepts replies. */
function checkThread(ctx: Ctx, { kind, target }: DraftTarget, id: string | undefined): void {
  if (id === undefined) return
  try {
    checkReply(ctx, kind, target, id)
  } catch {
    throw invalid({ base: 'Thread to reply to cannot be found' })
  }
}

/** Creates a draft note. Throws 400 for an invalid text, and for an unknown thread or position. */
export async function createDraft(
  ctx: Ctx,
  target: DraftTarget,
  input: DraftInput & { readonly note: string },
): Promise<DraftRow> {
  const owner = ownerOf(ctx, target)
  checkText(input.note)
  checkThread(ctx, target, input.in_reply_to_discussion_id)
  const { commit_id } = input
  const position = await positionIn(ctx, target, input.position, commit_id)
  return store.insert(ctx.db, {
    ...owner,
    discussion_id: input.in_reply_to_discussion_id ?? null,
    resolve_discussion: input.resolve_discussion ?? false,
    note: input.note,
    commit_id: commit_id ?? null,
    // A reply has the position of its thread.
    position: position && !input.in_reply_to_discussion_id ? position : null,
    created_at: ctx.now,
    updated_at: ctx.now,
  })
}

/** Updates a draft note. Throws 404, and 400 as `draft` does. */
export async function updateDraft(
  ctx: Ctx,
  target: DraftTarget,
  id: number,
  changes: DraftInput,
): Promise<DraftRow> {
  const before = getDraft(ctx, target, id)
  if (changes.note !== undefined) checkText(changes.note)
  const commit = before.commit_id ?? undefined
  const position = await positionIn(ctx, target, changes.position, commit)
  getDraft(ctx, target, id)
  return store.update(ctx.db, id, {
    note: changes.note ?? before.note,
    resolve_discussion:
      changes.resolve_discussion === undefined ? before.resolve_discussion : changes.resolve_discussion,
    position: position && before.discussion_id === null ? position : before.position,
    updated_at: ctx.now,
  })
}

/** Deletes a draft note. Throws 404. */
export function removeDraft(ctx: Ctx, target: DraftTarget, id: number): void {
  store.remove(ctx.db, getDraft(ctx, target, id).id)
}

/** A draft note, with the data from git that the transaction needs. */
interface PreparedNote {
  readonly draft: DraftRow
  /** The text without quick actions; empty if there is no other text. */
  readonly text: string
  readonly commands: readonly Command[]
  readonly position: Position | undefined
  readonly original: Position | undefined
  readonly suggestions: readonly NewSuggestion[]
}

/** Publishes one draft note of the actor. Throws 404. */
export async function publishOne(ctx: Ctx, target: DraftTarget, id: number): Promise<void> {
  await publish(ctx, target, [getDraft(ctx, target, id)])
}

/** Publishes all draft notes of the actor on a merge request, in their order. */
export async function publishAll(ctx: Ctx, target: DraftTarget): Promise<void> {
  await publish(ctx, target, findDrafts(ctx, target).rows)
}

async function publish(ctx: Ctx, target: DraftTarget, drafts: readonly DraftRow[]): Promise<void> {
  if (drafts.length === 0) return
  const prepared: PreparedNote[] = []
  for (const draft of drafts) prepared.push(await prepareNote(ctx, target, draft))
  const published = tx(ctx.db, () => {
    const written = prepared.filter((entry) => write(ctx, target, entry))
    if (written.length > 0) setReviewState(ctx.db, target.target.noteable.id!, ctx.actor.id!, 'reviewed')
    return written
  })
  const commands = published.flatMap((entry) => entry.commands)
  await runQuickActions(ctx, target, commands)
}

async function prepareNote(
  ctx: Ctx,
  { kind, project, target }: DraftTarget,
  draft: DraftRow,
): Promise<PreparedNote> {
  const { noteable } = target
  const parsed = kind.commands ? parseQuickActions(draft.note) : { text: draft.note, commands: [] }
  const thread = draft.discussion_id === null ? [] : findThread(ctx, target, draft.discussion_id)
  const threadPosition = thread[0]?.position
  const stored = threadPosition ? (JSON.parse(threadPosition) as Position) : draft.position
  const original = (stored as Position | null) ?? undefined
  const followsVersions = original && thread.length === 0 && draft.commit_id === null
  const position = followsVersions ? await kind.currentPosition!(ctx, project, noteable, original) : original
  const suggestions = position ? await kind.suggest!(ctx, project, noteable, parsed.text, position) : []
  return { draft, ...parsed, position, original, suggestions }
}

/** Replaces a draft note by a note. Returns false if another request has published or deleted the draft. */
function write(ctx: Ctx, draftTarget: DraftTarget, prepared: PreparedNote): boolean {
  const { draft, text } = prepared
  const { kind, project, target } = draftTarget
  if (!store.remove(ctx.db, draft.id)) return false
  const thread = draft.discussion_id === null ? [] : findThread(ctx, target, draft.discussion_id)
  if (thread.length === 0) {
    if (text !== '') writeNew(ctx, draftTarget, prepared)
    return true
  }
  const { suggestions } = prepared
  const id = draft.discussion_id!
  if (text !== '') reply(ctx, kind, target, { discussion_id: id, body: text, suggestions })
  const notes = findThread(ctx, target, id)
  const mayResolve =
    notes[0]!.resolvable && isAllowed(() => checkMayResolve(ctx, kind, project, target, notes))
  if (mayResolve) resolveDiscussion(ctx, target, id, draft.resolve_discussion)
  return true
}

function isAllowed(check: () => void): boolean {
  try {
    check()
    return true
  } catch {
    return false
  }
}

/** Writes a draft without a thread: as a new thread at its position, or as a single note. */
function writeNew(ctx: Ctx, { target }: DraftTarget, prepared: PreparedNote): void {
  const { draft, text, position, original, suggestions } = prepared
  createNote(ctx, target, {
    body: text,
    type: position ? 'DiffNote' : null,
    resolvable: position !== undefined,
    position,
    original_position: original,
    suggestions,
    commit_id: draft.commit_id ?? undefined,
  })
}
