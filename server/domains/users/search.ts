import { sql, type RawBuilder, type SqlBool } from 'kysely'

import { contains } from '../../db/lists.ts'

/** Shorter texts have no trigram; they are looked for in every name. */
const TRIGRAM = 3

/**
 * The condition that a user (alias `u`) is found: by part of the name or user name, and by the whole e-mail address,
 * or by part of any address where `allEmails` (spec rest-api, Users).
 */
export function foundBy(search: string, allEmails: boolean): RawBuilder<SqlBool> {
  const names =
    [...search].length < TRIGRAM
      ? sql`SELECT id FROM users WHERE ${contains('username', search)} OR ${contains('name', search)}`
      : sql`SELECT rowid FROM users_fts WHERE users_fts MATCH ${`"${search.replaceAll('"', '""')}"`}`
  const emails = allEmails
    ? sql`SELECT id FROM users WHERE ${contains('email', search)}
        UNION SELECT user_id FROM user_emails WHERE ${contains('email', search)}`
    : sql`SELECT id FROM users WHERE email = ${search}
        UNION SELECT id FROM users WHERE public_email <> '' AND public_email = ${search} COLLATE NOCASE`
  return sql<SqlBool>`u.id IN (${names} UNION ${emails})`
}

/** Orders exact matches of a search before all others. */
export function exactFirst(search: string): RawBuilder<unknown> {
  return sql`(u.username = ${search} OR u.name = ${search} COLLATE NOCASE OR u.email = ${search}) DESC`
}
