import type { Ctx } from '../../../ctx.ts'
import type { Database } from '../../../db/database.ts'
import { userById } from '../../users/index.ts'
import type { Issuable } from './issuable.ts'
import { tablesOf } from './issuable.ts'
import { namesIn } from './mentions.ts'

/** What a user said themselves; undefined when they said nothing. */
function chosen(db: Database, { kind, id }: Issuable, userId: number): boolean | undefined {
  const row = db.one<{ subscribed: boolean }>(
    `SELECT subscribed FROM subscriptions
     WHERE subscribable_type = ? AND subscribable_id = ? AND user_id = ? AND project_id IS NULL`,
    kind,
    id,
    userId,
  )
  return row && row.subscribed
}

/** Whether a user hears of it: as they chose, else when they take part. */
export function isSubscribed(db: Database, issuable: Issuable, userId: number | null): boolean {
  if (userId === null) return false
  return chosen(db, issuable, userId) ?? takesPart(db, issuable, userId)
}

function takesPart(db: Database, issuable: Issuable, userId: number): boolean {
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
  return found === 1 || isNamed(db, issuable, userId)
}

function isNamed(db: Database, issuable: Issuable, userId: number): boolean {
  if (!issuable.description?.includes('@')) return false
  const name = userById(db, userId)?.username.toLowerCase()
  return name !== undefined && namesIn(issuable.description).has(name)
}

/** Writes down what the actor chose; false when that was so already. */
export function subscribe(ctx: Ctx, issuable: Issuable, wanted: boolean): boolean {
  if (isSubscribed(ctx.db, issuable, ctx.actor.id) === wanted) return false
  ctx.db.exec(
    `INSERT INTO subscriptions (user_id, subscribable_type, subscribable_id, subscribed, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (subscribable_type, subscribable_id, user_id, ifnull(project_id, 0))
     DO UPDATE SET subscribed = excluded.subscribed, updated_at = excluded.updated_at`,
    ctx.actor.id,
    issuable.kind,
    issuable.id,
    wanted ? 1 : 0,
    ctx.now,
    ctx.now,
  )
  return true
}
