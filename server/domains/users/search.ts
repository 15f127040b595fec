import { sql, type RawBuilder, type SqlBool } from 'kysely'

import { contains } from '../../db/lists.ts'

/** Shorter texts have no trigram; they are looked for in every name. */
const TRIGRAM = 3

/**
 * The condition that a user (alias `u`) is found: by part of the name or user name, or by a whole e-mail address. Private
 * addresses count where `allEmails`, which is for administrators; for others only the public one (spec rest-api, Users).
 */
export function foundBy(search: string, allEmails: boolean): RawBuilder<SqlBool> {
  const names =
    [...search].length < TRIGRAM
      ? sql`SELECT id FROM users WHERE ${contains('username', search)} OR ${contains('name', search)}`
      : sql`SELECT rowid FROM users_fts WHERE users_fts MATCH ${`"${search.replaceAll('"', '""')}"`}`
  const published = sql`SELECT id FROM users WHERE public_email <> '' AND public_email = ${search} COLLATE NOCASE`
  const emails = allEmails
    ? sql`${published} UNION SELECT id FROM users WHERE email = ${search} COLLATE NOCASE
        UNION SELECT user_id FROM user_emails WHERE email = ${search} COLLATE NOCASE`
    : published
  return sql<SqlBool>`u.id IN (${names} UNION ${emails})`
}

/** Orders exact matches of a search before all others; private addresses count where `allEmails`. */
export function exactFirst(search: string, allEmails: boolean): RawBuilder<unknown> {
  const email = allEmails ? sql`OR u.email = ${search} COLLATE NOCASE` : sql``
  return sql`(u.username = ${search} OR u.name = ${search} COLLATE NOCASE ${email}) DESC`
}
