import type { Ctx } from '../../ctx.ts'
import { isoDate } from '../../lib/clock.ts'
import { fail, notFound } from '../../lib/fail.ts'
import { seesAll } from '../../policy/actor.ts'
import { OWNER } from '../../policy/levels.ts'
import { billableCounts, groupsOfMember, namespacesOfViewer, roleOnNamespace } from '../members/index.ts'
import type { NamespaceRow, NamespaceView } from './types.ts'
import { endRedirectsBelow, leaveRedirectsBelow } from './store-redirects.ts'
import * as store from './store.ts'

/** By numeric id or full path; digits only are always an id. */
export function findNamespace(ctx: Pick<Ctx, 'db'>, reference: string): NamespaceRow | undefined {
  if (/^\d+$/.test(reference)) {
    const id = Number(reference)
    return Number.isSafeInteger(id) ? store.byId(ctx.db, id) : undefined
  }
  return store.byPath(ctx.db, reference)
}

/** True when the group's visibility alone lets the actor see it. Personal namespaces belong to their owners. */
export function isOpenTo(actor: Ctx['actor'], row: NamespaceRow): boolean {
  if (row.kind === 'user') return false
  if (row.visibility === 'public') return true
  return row.visibility === 'internal' && actor.kind === 'user' && !actor.external
}

/** Rows with what managers see beside them, counted with one query. */
function views(ctx: Ctx, rows: readonly NamespaceRow[]): NamespaceView[] {
  const all = rows.map((row) => row.id)
  const ids = ctx.actor.is_admin ? all : store.among(ctx.db, all, groupsOfMember(ctx, OWNER))
  const counts = store.memberCounts(ctx.db, ids)
  const seats = billableCounts(ctx.db, ids, isoDate(ctx.now))
  const known = new Set(ids)
  return rows.map((row) => ({
    ...row,
    members_count: known.has(row.id) ? (counts.get(row.id) ?? 0) : undefined,
    seats: seats.get(row.id) ?? 0,
  }))
}

/** One namespace for a signed-in user. Throws `404 Namespace Not Found` for a missing or invisible one. */
export function getNamespace(ctx: Ctx, reference: string): NamespaceView {
  const row = findNamespace(ctx, reference)
  const seen = row && (seesAll(ctx.actor) || isOpenTo(ctx.actor, row) || roleOnNamespace(ctx, row) > 0)
  if (!row || !seen) throw notFound('Namespace')
  return views(ctx, [row])[0]!
}

/** Namespaces of the actor (all for administrators), the own personal one first. */
export function listNamespaces(
  ctx: Ctx,
  filter: {
    search?: string | undefined
    owned_only?: boolean | undefined
    top_level_only?: boolean | undefined
  },
  window: { limit: number; offset: number },
): { rows: NamespaceView[]; total: number } {
  const all = ctx.actor.is_admin && !filter.owned_only
  const visible = all ? undefined : namespacesOfViewer(ctx, filter.owned_only ?? false)
  const { rows, total } = store.list(ctx.db, { ...filter, visible, userId: ctx.actor.id }, window)
  return { rows: views(ctx, rows), total }
}

/** Whether a path below a parent, or at the top, is taken, and a free one like it. */
export function checkPath(
  ctx: Ctx,
  path: string,
  parentId: number | undefined,
): { exists: boolean; suggests: string[] } {
  const parent = parentId === undefined ? undefined : store.byId(ctx.db, parentId)
  // Below a parent that is not there, everything is free.
  if (parentId !== undefined && !parent) return { exists: false, suggests: [] }
  const fullPath = parent ? `${parent.full_path}/${path}` : path
  if (!store.byPath(ctx.db, fullPath)) return { exists: false, suggests: [] }
  return { exists: true, suggests: [store.suggestPath(ctx.db, fullPath)] }
}

/**
 * The personal namespace of a new user, inside the caller's transaction. Returns its id. Throws 409 when a group or
 * another user has the path.
 */
export function createPersonalNamespace(
  ctx: Ctx,
  user: { id: number; username: string; name: string },
): number {
  if (store.byPath(ctx.db, user.username)) throw fail('conflict', 'Username has already been taken')
  const row = store.insert(ctx.db, {
    kind: 'user',
    name: user.name,
    path: user.username,
    owner_id: user.id,
    // What is in it decides for itself; the namespace limits nothing.
    visibility: 'public',
    created_at: ctx.now,
    updated_at: ctx.now,
  })
  endRedirectsBelow(ctx.db, row.id)
  return row.id
}

/**
 * Lets the personal namespace follow its user's name, inside the caller's transaction; old addresses lead to the new
 * ones. Throws 409 as above.
 */
export function renamePersonalNamespace(
  ctx: Ctx,
  userId: number,
  to: { username: string; name: string },
): void {
  const row = store.byOwner(ctx.db, userId)
  if (!row) return
  const taken = store.byPath(ctx.db, to.username)
  if (taken && taken.id !== row.id) throw fail('conflict', 'Username has already been taken')
  const isMoved = row.path !== to.username
  if (isMoved) leaveRedirectsBelow(ctx.db, row.id, ctx.now)
  store.rename(ctx.db, row, { name: to.name, path: to.username, updated_at: ctx.now })
  if (isMoved) endRedirectsBelow(ctx.db, row.id)
}
