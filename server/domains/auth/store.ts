import type { Selectable } from 'kysely'

import { q, type Database } from '../../db/database.ts'
import { boundedCount, contains } from '../../db/lists.ts'
import type { PersonalAccessTokensTable, SessionsTable } from '../../db/schema.gen.ts'
import type { Rows } from '../../db/rows.ts'

/** A personal access token as stored; the token itself is not. */
export type TokenRow = Selectable<PersonalAccessTokensTable>
export type SessionRow = Selectable<SessionsTable>

/** What proving a token or session needs of its user, in one row. */
export interface Identity {
  user_id: number
  username: string
  name: string
  email: string
  state: string
  is_admin: number
  external: number
}

export type TokenIdentity = Identity & {
  token_id: number
  scopes: string
  revoked: number
  expires_at: string | null
}
export type SessionIdentity = Identity & { session_id: number; csrf_token: string; expires_at: string }

const USER = 'u.id AS user_id, u.username, u.name, u.email, u.state, u.is_admin, u.external'

/** The token with that digest and its user. */
export function tokenIdentity(db: Database, digest: string): TokenIdentity | undefined {
  return db.one<TokenIdentity>(
    `SELECT t.id AS token_id, t.scopes, t.revoked, t.expires_at, ${USER}
     FROM personal_access_tokens t JOIN users u ON u.id = t.user_id WHERE t.digest = ?`,
    digest,
  )
}

/** The session with that digest and its user. */
export function sessionIdentity(db: Database, digest: string): SessionIdentity | undefined {
  return db.one<SessionIdentity>(
    `SELECT s.id AS session_id, s.csrf_token, s.expires_at, ${USER}
     FROM sessions s JOIN users u ON u.id = s.user_id WHERE s.digest = ?`,
    digest,
  )
}

/** The CSRF token of a session. */
export function csrfToken(db: Database, sessionId: number): string | undefined {
  return db.get(q.selectFrom('sessions').select('csrf_token').where('id', '=', sessionId))?.csrf_token
}

export function insertSession(db: Database, row: Omit<SessionRow, 'id'>): number {
  return db.run(q.insertInto('sessions').values(row)).id
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

export function insertToken(
  db: Database,
  row: Pick<TokenRow, 'user_id' | 'name' | 'digest' | 'scopes' | 'expires_at' | 'created_at'>,
): TokenRow {
  return db.get(q.insertInto('personal_access_tokens').values(row).returningAll())!
}

export function tokenById(db: Database, id: number): TokenRow | undefined {
  return db.get(q.selectFrom('personal_access_tokens').selectAll().where('id', '=', id))
}

export function revokeToken(db: Database, id: number): void {
  db.run(q.updateTable('personal_access_tokens').set({ revoked: 1 }).where('id', '=', id))
}

/** Filters of `GET /personal_access_tokens`. */
export interface TokenFilter {
  user_id?: number | undefined
  revoked?: boolean | undefined
  state?: 'active' | 'inactive' | undefined
  search?: string | undefined
  created_before?: string | undefined
  created_after?: string | undefined
  last_used_before?: string | undefined
  last_used_after?: string | undefined
}

/** One page of tokens, oldest first. `today` decides which ones have expired. */
export function listTokens(
  db: Database,
  filter: TokenFilter,
  paging: { limit: number; offset: number },
  today: string,
): Rows<TokenRow> {
  let query = q.selectFrom('personal_access_tokens').where('impersonation', '=', 0)
  if (filter.user_id !== undefined) query = query.where('user_id', '=', filter.user_id)
  if (filter.revoked !== undefined) query = query.where('revoked', '=', filter.revoked ? 1 : 0)
  if (filter.search) query = query.where(contains('name', filter.search))
  if (filter.created_before) query = query.where('created_at', '<', filter.created_before)
  if (filter.created_after) query = query.where('created_at', '>', filter.created_after)
  if (filter.last_used_before) query = query.where('last_used_at', '<', filter.last_used_before)
  if (filter.last_used_after) query = query.where('last_used_at', '>', filter.last_used_after)
  if (filter.state) {
    const active = filter.state === 'active'
    query = query.where((eb) => {
      const alive = eb.and([
        eb('revoked', '=', 0),
        eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', today)]),
      ])
      return active ? alive : eb.not(alive)
    })
  }
  const total = boundedCount(db, query.select('id'))
  const rows = db.all(query.selectAll().orderBy('id').limit(paging.limit).offset(paging.offset))
  return { rows, total }
}
