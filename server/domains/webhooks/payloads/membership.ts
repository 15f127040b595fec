import type { Ctx } from '../../../ctx.ts'
import { userById } from '../../users/index.ts'
import { shownEmail } from './blocks/index.ts'
import { timestamps } from './times.ts'

/** What happened to a membership. */
export type Verb = 'add' | 'update' | 'remove'

/** A membership that began, changed or ended, as its event says. */
export interface Membership {
  readonly project_id?: number | undefined
  readonly group_id?: number | undefined
  readonly user_id: number
  readonly access_level: number
  readonly expires_at: string | null
  /** Of one that is over. */
  readonly created_at?: string
  /** A user who is gone with it. */
  readonly user?: { readonly name: string; readonly username: string } | undefined
}

/** Who the membership is of; undefined where they are gone and the event does not say who they were. */
export function memberOf(ctx: Pick<Ctx, 'db'>, { user_id, user }: Membership) {
  const found = userById(ctx.db, user_id) ?? (user && { ...user, public_email: '' })
  if (!found) return undefined
  return {
    user_username: found.username,
    user_name: found.name,
    user_email: shownEmail(found),
    user_id,
  }
}

/** When the membership began and changed, as events have it. */
export function timesOf(ctx: Pick<Ctx, 'db' | 'now'>, membership: Membership, verb: Verb) {
  const created = membership.created_at ?? beginOf(ctx, membership) ?? ctx.now
  return timestamps({ created_at: created, updated_at: verb === 'update' ? ctx.now : created })
}

function beginOf(ctx: Pick<Ctx, 'db'>, { project_id, group_id, user_id }: Membership): string | undefined {
  const [column, id] = project_id === undefined ? ['namespace_id', group_id] : ['project_id', project_id]
  const sql = `SELECT created_at FROM members WHERE ${column} = ? AND user_id = ?`
  return ctx.db.one<{ created_at: string }>(sql, id ?? 0, user_id)?.created_at
}
