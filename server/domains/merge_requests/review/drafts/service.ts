import type { Ctx } from '../../../../ctx.ts'
import type { Rows } from '../../../../db/rows.ts'
import { fail, invalid, notFound } from '../../../../lib/fail.ts'
import {
  checkReply,
  MAX_NOTE,
  placeIn,
  type GivenPosition,
  type SayingPlace,
} from '../../../discussions/index.ts'
import * as store from './store.ts'
import type { DraftRow } from './store.ts'

/** Under which merge request an actor drafts, with what they may do there. */
export type DraftTarget = SayingPlace

/** A draft as a caller gives it; what is not given stays as it is. */
export interface GivenDraft {
  readonly note?: string | undefined
  readonly in_reply_to_discussion_id?: string | undefined
  readonly resolve_discussion?: boolean | undefined
  readonly commit_id?: string | undefined
  readonly position?: GivenPosition | undefined
}

function whose(ctx: Ctx, { target: place }: DraftTarget): store.Own {
  if (ctx.actor.kind !== 'user') throw fail('unauthorized')
  return { merge_request_id: place.noteable.id!, author_id: ctx.actor.id }
}

/** The actor's own drafts, oldest first; nobody sees those of others. */
export function findDrafts(
  ctx: Ctx,
  target: DraftTarget,
  page?: { limit: number; offset: number },
): Rows<DraftRow> {
  return store.list(ctx.db, whose(ctx, target), page)
}

/** One draft of the actor's own. Throws 404. */
export function getDraft(ctx: Ctx, target: DraftTarget, id: number): DraftRow {
  const found = store.byId(ctx.db, whose(ctx, target), id)
  if (!found) throw notFound('Draft Note')
  return found
}

function checkText(note: string): void {
  if (note.trim() === '') throw invalid({ note: "can't be blank" })
  if (note.length > MAX_NOTE) throw invalid({ note: `is too long (maximum is ${MAX_NOTE} characters)` })
}

/** The discussion that a draft answers has to be there and to take answers. */
function checkThread(ctx: Ctx, { kind, target: place }: DraftTarget, id: string | undefined): void {
  if (id === undefined) return
  try {
    checkReply(ctx, kind, place, id)
  } catch {
    throw invalid({ base: 'Thread to reply to cannot be found' })
  }
}

/** Drafts a note. Throws 400 for a text that cannot stand, and for a thread or place that is not there. */
export async function draft(
  ctx: Ctx,
  target: DraftTarget,
  given: GivenDraft & { readonly note: string },
): Promise<DraftRow> {
  const owner = whose(ctx, target)
  checkText(given.note)
  checkThread(ctx, target, given.in_reply_to_discussion_id)
  const { commit_id } = given
  const position = await placeIn(ctx, target, given.position, commit_id)
  return store.insert(ctx.db, {
    ...owner,
    discussion_id: given.in_reply_to_discussion_id ?? null,
    resolve_discussion: given.resolve_discussion ?? false,
    note: given.note,
    commit_id: commit_id ?? null,
    // An answer is where its thread is.
    position: position && !given.in_reply_to_discussion_id ? JSON.stringify(position) : null,
    created_at: ctx.now,
    updated_at: ctx.now,
  })
}

/** Changes a draft. Throws 404, and 400 as drafting does. */
export async function redraft(
  ctx: Ctx,
  target: DraftTarget,
  id: number,
  given: GivenDraft,
): Promise<DraftRow> {
  const before = getDraft(ctx, target, id)
  if (given.note !== undefined) checkText(given.note)
  const commit = before.commit_id ?? undefined
  const position = await placeIn(ctx, target, given.position, commit)
  getDraft(ctx, target, id)
  return store.update(ctx.db, id, {
    note: given.note ?? before.note,
    resolve_discussion:
      given.resolve_discussion === undefined ? before.resolve_discussion : given.resolve_discussion,
    position: position && before.discussion_id === null ? JSON.stringify(position) : before.position,
    updated_at: ctx.now,
  })
}

/** Throws a draft away. Throws 404. */
export function discard(ctx: Ctx, target: DraftTarget, id: number): void {
  store.remove(ctx.db, getDraft(ctx, target, id).id)
}
