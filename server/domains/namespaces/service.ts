import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { REGISTRATION_TOKEN_PREFIX } from '../../lib/aliases.ts'
import { isoDate } from '../../lib/clock.ts'
import { fail, notFound } from '../../lib/fail.ts'
import { tokenDigest } from '../../lib/security/crypto.ts'
import { isValidPath, PATH_RULE } from '../../lib/text/slug.ts'
import { seesAll } from '../../policy/actor.ts'
import { OWNER } from '../../policy/levels.ts'
import { billableCounts, groupsOfMember, namespacesOfViewer, roleOnNamespace } from '../members/index.ts'
import { type NamespaceRow, type NamespaceView, endRedirectsBelow, storeRedirectsBelow } from './store.ts'
import * as store from './store.ts'

const PURPOSE = 'runners_token'
const LETTERS = 20
/** Rows per transaction while old tokens are encrypted. */
const BATCH = 500

/** A stored registration token of a project or group: encrypted to show it again, and a digest to find it. */
interface RegistrationColumns {
  readonly runners_token: string
  readonly runners_token_digest: string
}

/** Creates a new registration token of a project or group. */
export function newRegistrationToken(ctx: Pick<Ctx, 'random' | 'secrets'>): {
  token: string
  columns: RegistrationColumns
} {
  const token = REGISTRATION_TOKEN_PREFIX + ctx.random.token(LETTERS)
  return { token, columns: columnsOf(ctx, token) }
}

function columnsOf({ secrets }: Pick<Ctx, 'secrets'>, token: string): RegistrationColumns {
  return { runners_token: secrets.seal(token, PURPOSE), runners_token_digest: tokenDigest(token) }
}

/**
 * Returns the registration token of a project or group. Undefined without one, and if the key that encrypted it is
 * missing: the answers about a project contain the token, and must not fail.
 */
export function registrationTokenOf(
  { secrets, log }: Pick<Ctx, 'secrets' | 'log'>,
  row: { readonly runners_token: string | null; readonly runners_token_digest: string | null },
): string | undefined {
  if (!row.runners_token || row.runners_token_digest === null) return undefined
  try {
    return secrets.open(row.runners_token, PURPOSE).toString()
  } catch (error) {
    log.debug({ err: error }, 'a registration token does not open')
    return undefined
  }
}

/**
 * Encrypts the tokens that older releases stored as plain text. It runs at start, in short transactions, and continues
 * after an interruption. The plain text is overwritten in the file, and the write-ahead log is emptied.
 */
export function sealRegistrationTokens(ctx: Ctx): void {
  const count = sealIn(ctx, 'namespaces') + sealIn(ctx, 'projects')
  if (count === 0) return
  ctx.db.one('PRAGMA wal_checkpoint(TRUNCATE)')
  ctx.log.info({ count }, 'registration tokens of runners were sealed')
}

function sealIn(ctx: Ctx, table: 'projects' | 'namespaces'): number {
  const { db } = ctx
  let after = 0
  let count = 0
  for (;;) {
    const rows = store.unsealedTokens(db, table, { after, limit: BATCH })
    if (rows.length === 0) return count
    // The pragma applies to the connection, so it is set once.
    if (count === 0) db.one('PRAGMA secure_delete = ON')
    tx(db, () => {
      for (const { id, runners_token } of rows) store.setToken(db, table, id, columnsOf(ctx, runners_token))
    })
    count += rows.length
    after = rows.at(-1)!.id
  }
}

const NAME =
  /^[\p{L}\p{N}\p{Extended_Pictographic}_][\p{L}\p{N}\p{M}\p{Extended_Pictographic}\p{Emoji_Component}\p{Pd}_.+ ()]*$/u

/** Returns the problem with a path, in the contract's words. Undefined for a valid one. */
export function pathProblem(path: string, level: 'top' | 'below'): string | undefined {
  if (path === '') return "can't be blank"
  if (path.length > 255) return 'is too long (maximum is 255 characters)'
  if (isValidPath(path, level)) return undefined
  // Checks whether the path is only invalid as a reserved word: with one more letter it would be valid.
  return isValidPath(`${path}x`, level) && isValidPath(`x${path}`, level)
    ? `${path} is a reserved name`
    : PATH_RULE
}

/** Returns the problem with the name of a group or project. `rule` is the message about its characters. */
export function nameProblem(name: string, rule: string): string | undefined {
  if (name.trim() === '') return "can't be blank"
  if (name.length > 255) return 'is too long (maximum is 255 characters)'
  return NAME.test(name) ? undefined : rule
}

/** Finds a namespace by numeric ID or full path. Digits only are always an ID. */
export function findNamespace(ctx: Pick<Ctx, 'db'>, reference: string): NamespaceRow | undefined {
  if (/^\d+$/.test(reference)) {
    const id = Number(reference)
    return Number.isSafeInteger(id) ? store.byId(ctx.db, id) : undefined
  }
  return store.byPath(ctx.db, reference)
}

/** Whether the group's visibility alone lets the actor see it. Personal namespaces are visible to their owners only. */
export function isOpenTo(actor: Ctx['actor'], row: NamespaceRow): boolean {
  if (row.kind === 'user') return false
  if (row.visibility === 'public') return true
  return row.visibility === 'internal' && actor.kind === 'user' && !actor.external
}

/** Adds the counts for users who manage the namespaces, with one query. */
function views(ctx: Ctx, rows: readonly NamespaceRow[]): NamespaceView[] {
  const all = rows.map((row) => row.id)
  const ids = ctx.actor.is_admin ? all : store.among(ctx.db, all, groupsOfMember(ctx, OWNER))
  const counts = store.memberCounts(ctx.db, ids)
  const seats = billableCounts(ctx.db, ids, isoDate(ctx.now))
  const idSet = new Set(ids)
  return rows.map((row) => ({
    ...row,
    members_count: idSet.has(row.id) ? (counts.get(row.id) ?? 0) : undefined,
    seats: seats.get(row.id) ?? 0,
  }))
}

/** Finds a namespace. Throws `404 Namespace Not Found` for a missing or invisible one. */
export function getNamespace(ctx: Ctx, reference: string): NamespaceView {
  const row = findNamespace(ctx, reference)
  const seen = row && (seesAll(ctx.actor) || isOpenTo(ctx.actor, row) || roleOnNamespace(ctx, row) > 0)
  if (!row || !seen) throw notFound('Namespace')
  return views(ctx, [row])[0]!
}

/** Lists the namespaces of the actor (all for administrators), the personal one first. */
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

/** Returns whether a path below a parent or at the top level is in use, with free alternatives. */
export function checkPath(
  ctx: Ctx,
  path: string,
  parentId: number | undefined,
): { exists: boolean; suggests: string[] } {
  const parent = parentId === undefined ? undefined : store.byId(ctx.db, parentId)
  // Every path below a missing parent is free.
  if (parentId !== undefined && !parent) return { exists: false, suggests: [] }
  const fullPath = parent ? `${parent.full_path}/${path}` : path
  if (!store.byPath(ctx.db, fullPath)) return { exists: false, suggests: [] }
  return { exists: true, suggests: [store.suggestPath(ctx.db, fullPath)] }
}

/**
 * Creates the personal namespace of a new user and returns its ID. Call it in a transaction. Throws 409 when a group or
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
    // Projects have their own visibility; that of the namespace does not limit them.
    visibility: 'public',
    created_at: ctx.now,
    updated_at: ctx.now,
  })
  endRedirectsBelow(ctx.db, row.id)
  return row.id
}

/**
 * Renames the personal namespace of a renamed user; the old paths redirect to the new ones. Call it in a transaction.
 * Throws 409 when a group or another user has the path.
 */
export function renamePersonalNamespace(
  ctx: Ctx,
  userId: number,
  to: { username: string; name: string },
): void {
  const row = store.byOwner(ctx.db, userId)
  if (!row) return
  const existing = store.byPath(ctx.db, to.username)
  if (existing && existing.id !== row.id) throw fail('conflict', 'Username has already been taken')
  const isMoved = row.path !== to.username
  if (isMoved) storeRedirectsBelow(ctx.db, row.id, ctx.now)
  store.rename(ctx.db, row, { name: to.name, path: to.username, updated_at: ctx.now })
  if (isMoved) endRedirectsBelow(ctx.db, row.id)
}
