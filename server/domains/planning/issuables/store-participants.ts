import type { Ctx } from '../../../ctx.ts'
import { projectById } from '../../projects/index.ts'
import { usersById, type UserBasicRow, userById } from '../../users/index.ts'
import { onBehalfOf } from './acting.ts'
import { tablesOf, type Issuable } from './issuable.ts'
import { mentionedIn, namesIn } from './store-references.ts'
import { mayRead } from './store-reading.ts'
import type { Database } from '../../../db/database.ts'

/** The maximum number of notes that are searched for mentions, newest first. */
const MAX_NOTES = 500

/**
 * Returns the participants, ordered by ID: the author, assignees, reviewers, authors of notes, and mentioned users who
 * may read the record. Internal notes count only if `seesInternal` is set.
 */
export function participantsOf(ctx: Ctx, issuable: Issuable, seesInternal: boolean): UserBasicRow[] {
  const { kind, id } = issuable
  const { assignees, key } = tablesOf(kind)
  const reviewers =
    kind === 'MergeRequest'
      ? 'UNION SELECT user_id FROM merge_request_reviewers, me WHERE merge_request_id = me.id'
      : ''
  const rows = ctx.db.many<{ user_id: number }>(
    `WITH me (id, kind, internal) AS (SELECT ?, ?, ?)
     SELECT user_id FROM ${assignees}, me WHERE ${key} = me.id ${reviewers}
     UNION SELECT author_id FROM notes, me
       WHERE noteable_type = me.kind AND noteable_id = me.id AND system = 0 AND notes.internal <= me.internal`,
    id,
    kind,
    seesInternal ? 1 : 0,
  )
  const ids = new Set([issuable.author_id, ...rows.map((row) => row.user_id)])
  for (const userId of mentionedIds(ctx, issuable, seesInternal)) ids.add(userId)
  return [...usersById(ctx.db, [...ids]).values()].sort((a, b) => a.id - b.id)
}

function mentionedIds(ctx: Ctx, issuable: Issuable, seesInternal: boolean): number[] {
  const notes = ctx.db.many<{ note: string }>(
    `SELECT note FROM notes WHERE noteable_type = ? AND noteable_id = ? AND system = 0 AND internal <= ?
       AND instr(note, '@') > 0 ORDER BY id DESC LIMIT ${MAX_NOTES}`,
    issuable.kind,
    issuable.id,
    seesInternal ? 1 : 0,
  )
  const text = [issuable.description ?? '', ...notes.map((row) => row.note)].join('\n\n')
  const project = projectById(ctx.db, issuable.project_id)!
  return mentionedIn(ctx.db, text).flatMap(({ user_id }) => {
    const userCtx = onBehalfOf(ctx, user_id)
    return userCtx && mayRead(userCtx, project, issuable) ? [user_id] : []
  })
}

/** Returns whether the user chose to be subscribed. Undefined if the user neither subscribed nor unsubscribed. */
function chosenSubscription(db: Database, { kind, id }: Issuable, userId: number): boolean | undefined {
  const row = db.one<{ subscribed: boolean }>(
    `SELECT subscribed FROM subscriptions
     WHERE subscribable_type = ? AND subscribable_id = ? AND user_id = ? AND project_id IS NULL`,
    kind,
    id,
    userId,
  )
  return row && row.subscribed
}

/** Whether a user gets notifications: as the user chose, or else if the user participates. */
export function isSubscribed(db: Database, issuable: Issuable, userId: number | null): boolean {
  if (userId === null) return false
  return chosenSubscription(db, issuable, userId) ?? isParticipant(db, issuable, userId)
}

function isParticipant(db: Database, issuable: Issuable, userId: number): boolean {
  if (issuable.author_id === userId) return true
  const { kind, id } = issuable
  const { assignees, key } = tablesOf(kind)
  const reviews =
    kind === 'MergeRequest'
      ? 'OR EXISTS (SELECT 1 FROM merge_request_reviewers WHERE merge_request_id = me.id AND user_id = me.user_id)'
      : ''
  const { found } = db.one<{ found: number }>(
    `WITH me (id, user_id, kind) AS (SELECT ?, ?, ?)
     SELECT EXISTS (SELECT 1 FROM ${assignees} WHERE ${key} = me.id AND user_id = me.user_id) ${reviews}
       OR EXISTS (SELECT 1 FROM notes
         WHERE noteable_type = me.kind AND noteable_id = me.id AND author_id = me.user_id AND system = 0) AS found FROM me`,
    id,
    userId,
    kind,
  )!
  return found === 1 || isMentioned(db, issuable, userId)
}

function isMentioned(db: Database, issuable: Issuable, userId: number): boolean {
  if (!issuable.description?.includes('@')) return false
  const name = userById(db, userId)?.username.toLowerCase()
  return name !== undefined && namesIn(issuable.description).has(name)
}

/** Subscribes or unsubscribes the actor. Returns false if nothing changes. */
export function subscribe(ctx: Ctx, issuable: Issuable, subscribed: boolean): boolean {
  if (isSubscribed(ctx.db, issuable, ctx.actor.id) === subscribed) return false
  ctx.db.exec(
    `INSERT INTO subscriptions (user_id, subscribable_type, subscribable_id, subscribed, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (subscribable_type, subscribable_id, user_id, ifnull(project_id, 0))
     DO UPDATE SET subscribed = excluded.subscribed, updated_at = excluded.updated_at`,
    ctx.actor.id,
    issuable.kind,
    issuable.id,
    subscribed ? 1 : 0,
    ctx.now,
    ctx.now,
  )
  return true
}
