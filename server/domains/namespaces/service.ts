import { LRUCache } from 'lru-cache'

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

const SEAL_PURPOSE = 'runners_token'
const TOKEN_LENGTH = 20
/** The number of decrypted tokens that are cached. */
const MAX_OPENED = 5000
/** The number of rows in one transaction that encrypts tokens of earlier releases. */
const BATCH_SIZE = 500

/** The columns of a registration token: the encrypted token, to show it again, and a digest, to find it. */
interface RegistrationColumns {
  readonly runners_token: string
  readonly runners_token_digest: string
}

/** Returns a new registration token for a project or group, with its columns. */
export function newRegistrationToken(ctx: Pick<Ctx, 'random' | 'secrets'>): {
  token: string
  columns: RegistrationColumns
} {
  const token = REGISTRATION_TOKEN_PREFIX + ctx.random.token(TOKEN_LENGTH)
  return { token, columns: columnsOf(ctx, token) }
}

function columnsOf({ secrets }: Pick<Ctx, 'secrets'>, token: string): RegistrationColumns {
  return { runners_token: secrets.seal(token, SEAL_PURPOSE), runners_token_digest: tokenDigest(token) }
}

/**
 * Returns the registration token of a project or group; undefined without one. Undefined also if the token was
 * encrypted with another key, because responses about a project contain the token and must not fail.
 */
export function registrationTokenOf(
  { secrets, log, db }: Pick<Ctx, 'secrets' | 'log' | 'db'>,
  row: { readonly runners_token: string | null; readonly runners_token_digest: string | null },
): string | undefined {
  if (!row.runners_token || row.runners_token_digest === null) return undefined
  // Decrypting takes longer than everything else in the view of a project.
  const opened = db.instance(
    'namespaces.registration_tokens',
    () => new LRUCache<string, string>({ max: MAX_OPENED }),
  )
  const known = opened.get(row.runners_token)
  if (known !== undefined) return known
  try {
    const token = secrets.open(row.runners_token, SEAL_PURPOSE).toString()
    opened.set(row.runners_token, token)
    return token
  } catch (error) {
    log.debug({ err: error }, 'a registration token could not be decrypted')
    return undefined
  }
}

/**
 * Encrypts the tokens that earlier releases stored as plain text, at the start of the instance and in short
 * transactions. After an interruption the next start continues. The plain text is overwritten in the database file,
 * and the write-ahead log is emptied.
 */
export function sealRegistrationTokens(ctx: Ctx): void {
  const count = sealTable(ctx, 'namespaces') + sealTable(ctx, 'projects')
  if (count === 0) return
  ctx.db.one('PRAGMA wal_checkpoint(TRUNCATE)')
  ctx.log.info({ count }, 'registration tokens of runners were encrypted')
}

function sealTable(ctx: Ctx, table: 'projects' | 'namespaces'): number {
  const { db } = ctx
  let after = 0
  let count = 0
  for (;;) {
    const rows = store.unsealedTokens(db, table, { after, limit: BATCH_SIZE })
    if (rows.length === 0) return count
    // The pragma applies to the connection, so it is set only once.
    if (count === 0) db.one('PRAGMA secure_delete = ON')
    tx(db, () => {
      for (const { id, runners_token } of rows) store.setToken(db, table, id, columnsOf(ctx, runners_token))
    })
    count += rows.length
    after = rows.at(-1)!.id
  }
}

const NAME_PATTERN =
  /^[\p{L}\p{N}\p{Extended_Pictographic}_][\p{L}\p{N}\p{M}\p{Extended_Pictographic}\p{Emoji_Component}\p{Pd}_.+ ()]*$/u

/** Returns the contract's message for an invalid path; undefined for a valid one. */
export function pathProblem(path: string, level: 'top' | 'below'): string | undefined {
  if (path === '') return "can't be blank"
  if (path.length > 255) return 'is too long (maximum is 255 characters)'
  if (isValidPath(path, level)) return undefined
  // A path that one more letter makes valid is a reserved name.
  return isValidPath(`${path}x`, level) && isValidPath(`x${path}`, level)
    ? `${path} is a reserved name`
    : PATH_RULE
}

/**
 * Returns the contract's message for an invalid name of a group or project. `rule` is the message about invalid
 * characters.
 */
export function nameProblem(name: string, rule: string): string | undefined {
  if (name.trim() === '') return "can't be blank"
  if (name.length > 255) return 'is too long (maximum is 255 characters)'
  return NAME_PATTERN.test(name) ? undefined : rule
}

/** Returns a namespace by numeric id or full path. Digits only are always an id. */
export function findNamespace(ctx: Pick<Ctx, 'db'>, reference: string): NamespaceRow | undefined {
  if (/^\d+$/.test(reference)) {
    const id = Number(reference)
    return Number.isSafeInteger(id) ? store.byId(ctx.db, id) : undefined
  }
  return store.byPath(ctx.db, reference)
}

/**
 * Returns true if the visibility of a group lets the actor see it. Personal namespaces are visible to their owners
 * only.
 */
export function isOpenTo(actor: Ctx['actor'], row: NamespaceRow): boolean {
  if (row.kind === 'user') return false
  if (row.visibility === 'public') return true
  return row.visibility === 'internal' && actor.kind === 'user' && !actor.external
}

/** Returns the views of namespaces. Those that the actor owns have counts. */
function views(ctx: Ctx, rows: readonly NamespaceRow[]): NamespaceView[] {
  const ids = rows.map((row) => row.id)
  const ownedIds = ctx.actor.is_admin ? ids : store.idsMatching(ctx.db, ids, groupsOfMember(ctx, OWNER))
  const counts = store.memberCounts(ctx.db, ownedIds)
  const seats = billableCounts(ctx.db, ownedIds, isoDate(ctx.now))
  const owned = new Set(ownedIds)
  return rows.map((row) => ({
    ...row,
    members_count: owned.has(row.id) ? (counts.get(row.id) ?? 0) : undefined,
    seats: seats.get(row.id) ?? 0,
  }))
}

/** Returns a namespace. Throws `404 Namespace Not Found` for one that is unknown or that the actor may not see. */
export function getNamespace(ctx: Ctx, reference: string): NamespaceView {
  const row = findNamespace(ctx, reference)
  const isVisible = row && (seesAll(ctx.actor) || isOpenTo(ctx.actor, row) || roleOnNamespace(ctx, row) > 0)
  if (!row || !isVisible) throw notFound('Namespace')
  return views(ctx, [row])[0]!
}

/** Returns one page of the namespaces of the actor (all for administrators), the personal one first. */
export function listNamespaces(
  ctx: Ctx,
  filter: {
    search?: string | undefined
    owned_only?: boolean | undefined
    top_level_only?: boolean | undefined
  },
  window: { limit: number; offset: number },
): { rows: NamespaceView[]; total: number } {
  const seesAllNamespaces = ctx.actor.is_admin && !filter.owned_only
  const visible = seesAllNamespaces ? undefined : namespacesOfViewer(ctx, filter.owned_only ?? false)
  const { rows, total } = store.list(ctx.db, { ...filter, visible, userId: ctx.actor.id }, window)
  return { rows: views(ctx, rows), total }
}

/** Returns whether a path below a parent or at the top level is in use, with an unused alternative. */
export function checkPath(
  ctx: Ctx,
  path: string,
  parentId: number | undefined,
): { exists: boolean; suggests: string[] } {
  const parent = parentId === undefined ? undefined : store.byId(ctx.db, parentId)
  // Every path below an unknown parent is unused.
  if (parentId !== undefined && !parent) return { exists: false, suggests: [] }
  const fullPath = parent ? `${parent.full_path}/${path}` : path
  if (!store.byPath(ctx.db, fullPath)) return { exists: false, suggests: [] }
  return { exists: true, suggests: [store.suggestPath(ctx.db, fullPath)] }
}

/**
 * Creates the personal namespace of a new user and returns its id. Throws 409 if a group or another user has the
 * path. Runs in the caller's transaction.
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
    // The visibility of a personal namespace does not limit that of its projects.
    visibility: 'public',
    created_at: ctx.now,
    updated_at: ctx.now,
  })
  endRedirectsBelow(ctx.db, row.id)
  return row.id
}

/**
 * Renames the personal namespace of a renamed user. The old paths redirect to the new ones. Throws 409 if a group or
 * another user has the path. Runs in the caller's transaction.
 */
export function renamePersonalNamespace(
  ctx: Ctx,
  userId: number,
  to: { username: string; name: string },
): void {
  const row = store.byOwner(ctx.db, userId)
  if (!row) return
  const existingNamespace = store.byPath(ctx.db, to.username)
  if (existingNamespace && existingNamespace.id !== row.id)
    throw fail('conflict', 'Username has already been taken')
  const isMoved = row.path !== to.username
  if (isMoved) storeRedirectsBelow(ctx.db, row.id, ctx.now)
  store.rename(ctx.db, row, { name: to.name, path: to.username, updated_at: ctx.now })
  if (isMoved) endRedirectsBelow(ctx.db, row.id)
}
