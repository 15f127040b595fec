import type { Ctx } from '../../../../ctx.ts'
import { tx } from '../../../../db/database.ts'
import {
  carryOut,
  checkMayResolve,
  createNote,
  findThread,
  reply,
  resolveDiscussion,
  type NewSuggestion,
  type Position,
} from '../../../discussions/index.ts'
import { parseQuickActions, type Command } from '../../../discussions/index.ts'
import { setReviewed } from '../../approvals/store.ts'
import { findDrafts, getDraft, type DraftTarget } from './service.ts'
import * as store from './store.ts'
import type { DraftRow } from './store.ts'

/** A draft with all that has to be asked of git before it is written. */
interface Prepared {
  readonly draft: DraftRow
  /** Empty where it held nothing but commands. */
  readonly text: string
  readonly commands: readonly Command[]
  readonly position: Position | undefined
  readonly original: Position | undefined
  readonly suggestions: readonly NewSuggestion[]
}

/** Publishes one draft of the actor's. Throws 404. */
export async function publishOne(ctx: Ctx, target: DraftTarget, id: number): Promise<void> {
  await publish(ctx, target, [getDraft(ctx, target, id)])
}

/** Publishes all drafts of the actor under a merge request, in their order: their review. */
export async function publishAll(ctx: Ctx, target: DraftTarget): Promise<void> {
  await publish(ctx, target, findDrafts(ctx, target).rows)
}

async function publish(ctx: Ctx, target: DraftTarget, drafts: readonly DraftRow[]): Promise<void> {
  if (drafts.length === 0) return
  const prepared: Prepared[] = []
  for (const draft of drafts) prepared.push(await prepare(ctx, target, draft))
  const published = tx(ctx.db, () => {
    const done = prepared.filter((one) => write(ctx, target, one))
    if (done.length > 0) setReviewed(ctx.db, target.target.noteable.id!, ctx.actor.id!, 'reviewed')
    return done
  })
  const commands = published.flatMap((one) => one.commands)
  await carryOut(ctx, target, commands)
}

async function prepare(
  ctx: Ctx,
  { kind, project, target: place }: DraftTarget,
  draft: DraftRow,
): Promise<Prepared> {
  const { noteable } = place
  const parsed = kind.commands ? parseQuickActions(draft.note) : { text: draft.note, commands: [] }
  const thread = draft.discussion_id === null ? [] : findThread(ctx, place, draft.discussion_id)
  const stored = thread[0]?.position ?? draft.position
  const original = stored === null ? undefined : (JSON.parse(stored) as Position)
  const follows = original && thread.length === 0 && draft.commit_id === null
  const position = follows ? await kind.placeNow!(ctx, project, noteable, original) : original
  const suggestions = position ? await kind.suggest!(ctx, project, noteable, parsed.text, position) : []
  return { draft, ...parsed, position, original, suggestions }
}

/** Writes a draft as a note; false where somebody else, or the same person elsewhere, was faster. */
function write(ctx: Ctx, target: DraftTarget, prepared: Prepared): boolean {
  const { draft, text } = prepared
  const { kind, project, target: place } = target
  if (!store.remove(ctx.db, draft.id)) return false
  const thread = draft.discussion_id === null ? [] : findThread(ctx, place, draft.discussion_id)
  if (thread.length === 0) {
    if (text !== '') writeNew(ctx, target, prepared)
    return true
  }
  const { suggestions } = prepared
  const id = draft.discussion_id!
  if (text !== '') reply(ctx, kind, place, { discussion_id: id, body: text, suggestions })
  const now = findThread(ctx, place, id)
  const mayResolve = now[0]!.resolvable && isAllowed(() => checkMayResolve(ctx, kind, project, place, now))
  if (mayResolve) resolveDiscussion(ctx, place, id, draft.resolve_discussion)
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

/** What answers nothing: a thread at its place in the diff, or a single note. */
function writeNew(ctx: Ctx, { target: place }: DraftTarget, prepared: Prepared): void {
  const { draft, text, position, original, suggestions } = prepared
  createNote(ctx, place, {
    body: text,
    type: position ? 'DiffNote' : null,
    resolvable: position !== undefined,
    position,
    original_position: original,
    suggestions,
    commit_id: draft.commit_id ?? undefined,
  })
}
