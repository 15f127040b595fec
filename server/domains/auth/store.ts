import type { Selectable } from 'kysely'
import { q, type Database } from '../../db/database.ts'
import { boundedCount, contains } from '../../db/lists.ts'
import type { PersonalAccessTokensTable, SessionsTable } from '../../db/schema.gen.ts'
import type { Rows } from '../../db/rows.ts'
import type { UserRow } from '../users/index.ts'
import type { Ctx } from '../../ctx.ts'

/** A personal access token, with its digest instead of its text. */
export type TokenRow = Selectable<PersonalAccessTokensTable>
export type SessionRow = Selectable<SessionsTable>

/** Columns of a user that authentication needs, in one row. */
export interface Identity {
  user_id: number
  username: string
  name: string
  email: string
  state: string
  is_admin: boolean
  is_auditor: boolean
  external: boolean
  kind: string
  bot: boolean
  password_expires_at: string | null
  accepted_terms_at: string | null
}

export type TokenIdentity = Identity & {
  token_id: number
  scopes: string[]
  revoked: boolean
  impersonation: boolean
  expires_at: string | null
}
export type SessionIdentity = Identity & {
  session_id: number
  csrf_token: string
  expires_at: string
  admin_until: string | null
  remembered: boolean
  created_at: string
  page_bound: boolean
}

/** The columns of `Identity`; `u` is the table of users. */
export const IDENTITY_COLUMNS = `u.id AS user_id, u.username, u.name, u.email, u.state, u.is_admin, u.is_auditor, u.external, u.kind, u.bot,
  u.password_expires_at, u.accepted_terms_at`

/** Returns the token with a digest, and its user. */
export function tokenIdentity(db: Database, digest: string): TokenIdentity | undefined {
  return db.one<TokenIdentity>(
    `SELECT t.id AS token_id, t.scopes, t.revoked, t.impersonation, t.expires_at, ${IDENTITY_COLUMNS}
     FROM personal_access_tokens t JOIN users u ON u.id = t.user_id WHERE t.digest = ?`,
    digest,
  )
}

export type JobIdentity = Identity & { job_id: number; project_id: number; is_confined: boolean }

/** Returns the running CI job with this digest of its token, and the user who started it. */
export function jobIdentity(db: Database, digest: string): JobIdentity | undefined {
  return db.one<JobIdentity>(
    `SELECT j.id AS job_id, j.project_id, p.ci_job_token_scope_enabled AS is_confined, ${IDENTITY_COLUMNS}
     FROM ci_jobs j JOIN users u ON u.id = j.user_id JOIN projects p ON p.id = j.project_id
     WHERE j.token_digest = ? AND j.status IN ('running', 'canceling')`,
    digest,
  )
}

/** Returns the session with a digest, and its user. */
export function sessionIdentity(db: Database, digest: string): SessionIdentity | undefined {
  return db.one<SessionIdentity>(
    `SELECT s.id AS session_id, s.csrf_token, s.expires_at, s.admin_until, s.remembered, s.created_at, s.page_bound,
       ${IDENTITY_COLUMNS}
     FROM sessions s JOIN users u ON u.id = s.user_id WHERE s.digest = ?`,
    digest,
  )
}

/** Returns the token for the page of a session, and whether the session belongs to that page. */
export function pageToken(
  db: Database,
  id: number,
): Pick<SessionRow, 'csrf_token' | 'page_bound'> | undefined {
  return db.get(q.selectFrom('sessions').select(['csrf_token', 'page_bound']).where('id', '=', id))
}

export function insertSession(db: Database, row: Omit<SessionRow, 'id' | 'admin_until'>): number {
  return db.run(q.insertInto('sessions').values(row)).id
}

/** Sets the end of admin mode in a session; null ends it. */
export function setAdminUntil(db: Database, id: number, until: string | null): void {
  db.run(q.updateTable('sessions').set({ admin_until: until }).where('id', '=', id))
}

export function adminUntil(db: Database, id: number): string | null {
  return db.get(q.selectFrom('sessions').select('admin_until').where('id', '=', id))?.admin_until ?? null
}

/** Returns true if the user has a valid session from the IP address. */
export function hasSessionFrom(db: Database, userId: number, ip: string, now: string): boolean {
  const sql = 'SELECT 1 FROM sessions WHERE user_id = ? AND ip = ? AND expires_at > ? LIMIT 1'
  return db.one(sql, userId, ip, now) !== undefined
}

export function removeSession(db: Database, id: number): void {
  db.run(q.deleteFrom('sessions').where('id', '=', id))
}

/** Ends all sessions of a user but one. */
export function removeSessionsOf(db: Database, userId: number, exceptId: number): void {
  db.run(q.deleteFrom('sessions').where('user_id', '=', userId).where('id', '<>', exceptId))
}

export function removeExpiredSessions(db: Database, now: string): number {
  return db.run(q.deleteFrom('sessions').where('expires_at', '<=', now)).changes
}

/** Returns one page of the valid sessions of a user, the newest first. */
export function listSessions(
  db: Database,
  userId: number,
  paging: { limit: number; offset: number },
  now: string,
): Rows<SessionRow> {
  const query = q.selectFrom('sessions').where('user_id', '=', userId).where('expires_at', '>', now)
  const total = boundedCount(db, query.select('id'))
  const rows = db.all(query.selectAll().orderBy('id', 'desc').limit(paging.limit).offset(paging.offset))
  return { rows, total }
}

/** Ends a session of a user. Returns false if it belongs to another user. */
export function removeSessionOf(db: Database, userId: number, id: number): boolean {
  return db.run(q.deleteFrom('sessions').where('id', '=', id).where('user_id', '=', userId)).changes > 0
}

export function insertToken(
  db: Database,
  row: Pick<TokenRow, 'user_id' | 'name' | 'digest' | 'scopes' | 'expires_at' | 'created_at'> &
    Partial<Pick<TokenRow, 'impersonation' | 'previous_id'>>,
): TokenRow {
  return db.get(q.insertInto('personal_access_tokens').values(row).returningAll())!
}

export function tokenById(db: Database, id: number): TokenRow | undefined {
  return db.get(q.selectFrom('personal_access_tokens').selectAll().where('id', '=', id))
}

/** Returns active personal access tokens of users that expire after a date or never. */
export function tokensExpiringAfter(db: Database, lastDay: string): { id: number }[] {
  return db.many<{ id: number }>(
    `SELECT t.id FROM personal_access_tokens t JOIN users u ON u.id = t.user_id
     WHERE t.revoked = 0 AND t.impersonation = 0 AND u.bot = 0 AND (t.expires_at IS NULL OR t.expires_at > ?)`,
    lastDay,
  )
}

export function revokeToken(db: Database, id: number): void {
  db.run(q.updateTable('personal_access_tokens').set({ revoked: true }).where('id', '=', id))
}

/** Returns the active tokens that replaced this one, directly or after further rotations. */
export function activeSuccessors(db: Database, id: number): number[] {
  const sql = `WITH RECURSIVE successors (id) AS (
      SELECT id FROM personal_access_tokens WHERE previous_id = ?
      UNION SELECT t.id FROM personal_access_tokens t JOIN successors ON t.previous_id = successors.id
    )
    SELECT t.id FROM successors JOIN personal_access_tokens t ON t.id = successors.id WHERE t.revoked = 0`
  return db.many<{ id: number }>(sql, id).map((row) => row.id)
}

/** Filters of `GET /personal_access_tokens`. */
export interface TokenFilter {
  impersonation: boolean
  user_id?: number | undefined
  revoked?: boolean | undefined
  state?: 'active' | 'inactive' | undefined
  search?: string | undefined
  created_before?: string | undefined
  created_after?: string | undefined
  last_used_before?: string | undefined
  last_used_after?: string | undefined
}

/** Returns one page of tokens, the oldest first. Tokens that expire on `today` or earlier count as expired. */
export function listTokens(
  db: Database,
  filter: TokenFilter,
  paging: { limit: number; offset: number },
  today: string,
): Rows<TokenRow> {
  let query = q.selectFrom('personal_access_tokens').where('impersonation', '=', filter.impersonation)
  if (filter.user_id !== undefined) query = query.where('user_id', '=', filter.user_id)
  if (filter.revoked !== undefined) query = query.where('revoked', '=', filter.revoked)
  if (filter.search) query = query.where(contains('name', filter.search))
  if (filter.created_before) query = query.where('created_at', '<', filter.created_before)
  if (filter.created_after) query = query.where('created_at', '>', filter.created_after)
  if (filter.last_used_before) query = query.where('last_used_at', '<', filter.last_used_before)
  if (filter.last_used_after) query = query.where('last_used_at', '>', filter.last_used_after)
  if (filter.state) {
    const wantsActive = filter.state === 'active'
    query = query.where((eb) => {
      const isActive = eb.and([
        eb('revoked', '=', false),
        eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', today)]),
      ])
      return wantsActive ? isActive : eb.not(isActive)
    })
  }
  const total = boundedCount(db, query.select('id'))
  const rows = db.all(query.selectAll().orderBy('id').limit(paging.limit).offset(paging.offset))
  return { rows, total }
}

/** Returns the user with a password reset token of this digest. */
export function userByResetDigest(db: Database, digest: string): UserRow | undefined {
  return db.one<UserRow>('SELECT * FROM users WHERE reset_password_digest = ?', digest)
}

/** Returns the user with a confirmation token of this digest for the primary address. */
export function userByConfirmationDigest(db: Database, digest: string): UserRow | undefined {
  return db.one<UserRow>('SELECT * FROM users WHERE confirmation_digest = ?', digest)
}

/** Returns true if another user has the email address, as the primary or a secondary one. */
export function isEmailTaken(db: Database, email: string, exceptUserId: number): boolean {
  const sql = `SELECT 1 FROM users WHERE email = ? AND id <> ?
    UNION ALL SELECT 1 FROM user_emails WHERE email = ? AND user_id <> ? LIMIT 1`
  return db.one(sql, email, exceptUserId, email, exceptUserId) !== undefined
}

/** Records the use of a session and its new expiry, within the next minute. */
export function recordSessionUse(ctx: Ctx, id: number, expiresAt: string): void {
  const sql = 'UPDATE sessions SET last_seen_at = ?, expires_at = ? WHERE id = ?'
  ctx.bookkeeping.collect(`session-seen:${id}`, sql, ctx.now, expiresAt, id)
}

/** Records the use of a personal access token, within the next minute. */
export function recordTokenUse(ctx: Ctx, id: number): void {
  const sql = 'UPDATE personal_access_tokens SET last_used_at = ? WHERE id = ?'
  ctx.bookkeeping.collect(`token-used:${id}`, sql, ctx.now, id)
}
