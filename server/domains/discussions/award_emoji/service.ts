import type { Ctx } from '../../../ctx.ts'
import { tx, type Database } from '../../../db/database.ts'
import type { Rows } from '../../../db/rows.ts'
import { publish } from '../../../events/publish.ts'
import { fail, Failure, notFound } from '../../../lib/fail.ts'
import type { Project } from '../../projects/index.ts'
import { usersById, type UserBasicRow } from '../../users/index.ts'
import { findNote, noteTarget } from '../notes/service.ts'
import type { Noteable, NoteableKind } from '../notes/types.ts'
import { AwardAdded, AwardRemoved } from '../events.ts'
import * as store from './store.ts'
import type { AwardRow, Target } from './store.ts'

/** Aliases and their stored names: awards are counted by stored name. */
const CANONICAL: Readonly<Record<string, string>> = {
  '+1': 'thumbsup',
  '-1': 'thumbsdown',
  thumbup: 'thumbsup',
  thumbdown: 'thumbsdown',
}

/** Names that clients send in addition to those of the library. */
const MORE_NAMES = new Set(
  `call_me clown cowboy fingers_crossed frowning2 hammer_pick hand_splayed head_bandage hugging money_mouth nerd poo
  rolling_eyes slight_frown slight_smile snowman2 spy thinking_face thumbdown thumbup umbrella2 upside_down vulcan
  zipper_mouth`.split(/\s+/),
)

/** The name under which an emoji is stored, given one of its names without colons; undefined for an unknown name. */
async function emojiByName(name: string): Promise<string | undefined> {
  // Loaded on first use, because it has two thousand names.
  const { default: characters } = await import('markdown-it-emoji/lib/data/full.mjs')
  if (!Object.hasOwn(characters, name) && !MORE_NAMES.has(name)) return undefined
  return CANONICAL[name] ?? name
}

/** Lists the emoji of a record or note, oldest first. */
export function findAwards(
  ctx: Ctx,
  target: Awardable,
  page: { limit: number; offset: number },
): Rows<AwardView> {
  const result = store.list(ctx.db, target, page)
  return { ...result, rows: viewsOf(ctx.db, result.rows) }
}

/** Returns one emoji of a record or note. Throws 404. */
export function getAward(ctx: Ctx, target: Awardable, id: number): AwardView {
  const row = store.byId(ctx.db, target, id)
  if (!row) throw notFound('Award Emoji')
  return viewsOf(ctx.db, [row])[0]!
}

/**
 * Adds an emoji of the actor. Throws 404 with the contract's sentences for an unknown name and for an emoji that the
 * actor has added already.
 */
export async function createAward(ctx: Ctx, target: Awardable, input: string): Promise<AwardView> {
  const name = await emojiByName(input)
  if (name === undefined) throw notFound('Award Emoji {:name=>["is not a valid emoji name"]}')
  const userId = userOf(ctx)
  return tx(ctx.db, () => {
    if (store.ofUser(ctx.db, target, userId, name))
      throw notFound('Award Emoji {:name=>["has already been taken"]}')
    return viewsOf(ctx.db, [add(ctx, target, name)])[0]!
  })
}

/**
 * Adds an emoji, or removes it if the actor has added it already, for the quick action `/award`. Returns undefined for
 * an unknown name.
 */
export async function toggleAward(
  ctx: Ctx,
  target: Awardable,
  input: string,
): Promise<'added' | 'removed' | undefined> {
  const name = await emojiByName(input.replace(/^:(.*):$/, '$1'))
  if (name === undefined) return undefined
  const userId = userOf(ctx)
  return tx(ctx.db, () => {
    const ownAward = store.ofUser(ctx.db, target, userId, name)
    if (ownAward) remove(ctx, target, ownAward)
    else add(ctx, target, name)
    return ownAward ? 'removed' : 'added'
  })
}

/**
 * Removes an emoji. Throws 404, and 401 for the emoji of another user. `before` gets the time of the last update and may
 * throw.
 */
export function removeAward(
  ctx: Ctx,
  target: Awardable,
  id: number,
  before: (updatedAt: string) => void,
): void {
  const award = getAward(ctx, target, id)
  if (award.user_id !== ctx.actor.id && !ctx.actor.is_admin) throw fail('unauthorized')
  before(award.updated_at)
  tx(ctx.db, () => remove(ctx, target, award))
}

function userOf(ctx: Ctx): number {
  if (ctx.actor.kind !== 'user') throw fail('unauthorized')
  return ctx.actor.id
}

function add(ctx: Ctx, target: Awardable, name: string): AwardRow {
  const award = store.insert(ctx.db, {
    awardable_type: target.awardable_type,
    awardable_id: target.awardable_id,
    user_id: userOf(ctx),
    name,
    created_at: ctx.now,
    updated_at: ctx.now,
  })
  publish(ctx, AwardAdded, eventFields(ctx, target, award))
  return award
}

function remove(ctx: Ctx, target: Awardable, award: AwardRow): void {
  store.remove(ctx.db, award.id)
  publish(ctx, AwardRemoved, eventFields(ctx, target, award))
}

function eventFields(ctx: Ctx, { noteable }: Awardable, award: AwardRow) {
  return {
    award_id: award.id,
    user_id: award.user_id,
    actor_id: ctx.actor.id,
    name: award.name,
    awardable_type: award.awardable_type,
    awardable_id: award.awardable_id,
    project_id: noteable.project_id,
    noteable_type: noteable.type,
    noteable_id: noteable.id!,
    created_at: award.created_at,
    updated_at: award.updated_at,
  }
}

/** A kind of record that can have emoji, as all kinds of noteables can. */
export type AwardKind = Pick<
  NoteableKind,
  'path' | 'title' | 'params' | 'read' | 'write' | 'load' | 'checkWrite'
>

/** A record, or a note on one, as the target of emoji. */
export interface Awardable extends Target {
  /** The record; if the target is a note, the record that the note is on. */
  readonly noteable: Noteable
  /** False for system notes. */
  readonly takesEmoji: boolean
}

/** Returns a record as the target of emoji. Throws an `Error` for a commit, which cannot have emoji. */
export function awardable(noteable: Noteable): Awardable {
  if (noteable.type === 'Commit') throw new Error('Commits cannot have emoji.')
  return { awardable_type: noteable.type, awardable_id: noteable.id!, noteable, takesEmoji: true }
}

/** Loads the record or note that the path names. Throws 404 when the actor may not see it. */
export async function awardableOf(
  ctx: Ctx & { readonly project: Project; readonly params: Readonly<Record<string, unknown>> },
  kind: AwardKind,
): Promise<Awardable> {
  const noteable = await kind.load(ctx, ctx.project, ctx.params)
  const noteId = ctx.params['note_id']
  if (noteId === undefined) return awardable(noteable)
  const note = findNote(ctx, noteTarget(ctx, ctx.project, noteable), Number(noteId))
  if (!note) throw new Failure('not_found', '404 Not found')
  return { awardable_type: 'Note', awardable_id: note.id, noteable, takesEmoji: !note.system }
}

/** Throws 404 when the actor may not add emoji: on a system note, and when the discussion is locked. */
export function checkAward(
  ctx: Ctx & { readonly project: Project },
  kind: AwardKind,
  target: Awardable,
): void {
  if (!target.takesEmoji) throw notFound('Award Emoji')
  try {
    kind.checkWrite?.(ctx, ctx.project, target.noteable)
  } catch (error) {
    throw error instanceof Failure ? notFound('Award Emoji') : error
  }
}

/** An emoji with the user who awarded it. */
export interface AwardView extends AwardRow {
  readonly user: UserBasicRow
}

/** Adds the users to the emoji, with one query. */
export function viewsOf(db: Database, rows: readonly AwardRow[]): AwardView[] {
  const people = usersById(
    db,
    rows.map((row) => row.user_id),
  )
  return rows.map((row) => ({ ...row, user: people.get(row.user_id)! }))
}
