import { sql, type RawBuilder, type SqlBool } from 'kysely'

import type { Database } from '../../db/database.ts'
import { boundedCount, contains, selectAll } from '../../db/lists.ts'
import { hasAttributes as customAttributeCondition } from './custom_attributes/store.ts'
import type { UserRow } from './store.ts'

type Condition = RawBuilder<SqlBool>

/** Filters of `GET /users`. */
export interface UserFilter {
  search?: string | undefined
  /** Whether the search includes email addresses that are not public. */
  searchAllEmails?: boolean | undefined
  username?: string | undefined
  active?: boolean | undefined
  blocked?: boolean | undefined
  external?: boolean | undefined
  exclude_external?: boolean | undefined
  exclude_internal?: boolean | undefined
  without_project_bots?: boolean | undefined
  admins?: boolean | undefined
  two_factor?: 'enabled' | 'disabled' | undefined
  without_projects?: boolean | undefined
  provider?: string | undefined
  extern_uid?: string | undefined
  saml_provider_id?: number | undefined
  created_before?: string | undefined
  created_after?: string | undefined
  custom_attributes?: Readonly<Record<string, string>> | undefined
  /** The position after which a keyset page starts. */
  after?: UserCursor | undefined
}

/** A position in a sorted list: the value of the sort column, and the id, which orders equal values. */
export interface UserCursor {
  readonly value: string | number
  readonly id: number
}

/** The order and limits of one page. */
export interface UserPage {
  order_by: string
  sort: 'asc' | 'desc'
  limit: number
  offset: number
  keyset: boolean
}

/**
 * The condition for users without projects: they are members of no project, have none in their groups, and none in
 * the personal namespace.
 */
const WITHOUT_PROJECTS = sql<SqlBool>`NOT EXISTS (SELECT 1 FROM members m WHERE m.user_id = u.id AND m.project_id IS NOT NULL)
  AND NOT EXISTS (SELECT 1 FROM namespaces o JOIN projects p ON p.namespace_id = o.id WHERE o.owner_id = u.id)
  AND NOT EXISTS (WITH RECURSIVE tree (id) AS (
      SELECT m.namespace_id FROM members m WHERE m.user_id = u.id AND m.namespace_id IS NOT NULL
      UNION SELECT c.id FROM namespaces c JOIN tree ON c.parent_id = tree.id)
    SELECT 1 FROM tree JOIN projects p ON p.namespace_id = tree.id)`

function identityCondition(filter: UserFilter): Condition[] {
  const { provider, extern_uid, saml_provider_id } = filter
  const conditions: Condition[] = []
  if (provider !== undefined && extern_uid !== undefined) {
    conditions.push(
      sql<SqlBool>`u.id IN (SELECT user_id FROM identities WHERE provider = ${provider} AND extern_uid = ${extern_uid})`,
    )
  }
  if (saml_provider_id !== undefined) {
    conditions.push(
      sql<SqlBool>`u.id IN (SELECT user_id FROM identities WHERE saml_provider_id = ${saml_provider_id})`,
    )
  }
  return conditions
}

function conditionsOf(filter: UserFilter): Condition {
  const conditions: Condition[] = identityCondition(filter)
  const addIf = (value: unknown, condition: Condition): void => {
    if (value !== undefined && value !== false) conditions.push(condition)
  }
  if (filter.search) conditions.push(searchCondition(filter.search, filter.searchAllEmails ?? false))
  addIf(filter.username, sql<SqlBool>`u.username = ${filter.username}`)
  addIf(filter.active, sql<SqlBool>`u.state = 'active' AND u.kind <> 'ghost'`)
  addIf(filter.blocked, sql<SqlBool>`u.state IN ('blocked', 'ldap_blocked', 'blocked_pending_approval')`)
  addIf(filter.external, sql<SqlBool>`u.external = 1`)
  addIf(filter.exclude_external, sql<SqlBool>`u.external = 0`)
  addIf(filter.exclude_internal, sql<SqlBool>`u.kind <> 'ghost'`)
  addIf(filter.without_project_bots, sql<SqlBool>`u.kind <> 'project_bot'`)
  addIf(filter.admins, sql<SqlBool>`u.is_admin = 1`)
  // Deskforge has no two-factor authentication, so no user has it enabled.
  addIf(filter.two_factor === 'enabled', sql<SqlBool>`0`)
  addIf(filter.without_projects, WITHOUT_PROJECTS)
  addIf(filter.created_before, sql<SqlBool>`u.created_at < ${filter.created_before}`)
  addIf(filter.created_after, sql<SqlBool>`u.created_at > ${filter.created_after}`)
  if (filter.custom_attributes)
    conditions.push(customAttributeCondition('user', 'u.id', filter.custom_attributes))
  return conditions.length === 0 ? sql<SqlBool>`1` : sql.join(conditions, sql` AND `)
}

/** The columns by which a list may be sorted. */
export const USER_ORDERS = ['id', 'name', 'username', 'created_at', 'updated_at'] as const

function afterCursor({ value, id }: UserCursor, page: UserPage): Condition {
  const sign = sql.raw(page.sort === 'asc' ? '>' : '<')
  return page.order_by === 'id'
    ? sql<SqlBool>`u.id ${sign} ${id}`
    : sql<SqlBool>`(${sql.ref(`u.${page.order_by}`)}, u.id) ${sign} (${value}, ${id})`
}

/** Returns one page of users. Exact matches of a search come first. Keyset pages have no total. */
export function list(
  db: Database,
  filter: UserFilter,
  page: UserPage,
): { rows: UserRow[]; total: number | undefined } {
  const where = conditionsOf(filter)
  const total = page.keyset ? undefined : boundedCount(db, sql`SELECT u.id FROM users u WHERE ${where}`)
  const direction = sql.raw(page.sort === 'asc' ? 'ASC' : 'DESC')
  const column = sql`${sql.ref(`u.${page.order_by}`)} ${direction}, u.id ${direction}`
  const order =
    filter.search && !page.keyset
      ? sql`${exactMatchFirst(filter.search, filter.searchAllEmails ?? false)}, ${column}`
      : column
  const pageCondition = filter.after ? sql`${where} AND ${afterCursor(filter.after, page)}` : where
  // The inner query finds ids only, so that a deep page does not read the wide rows that it skips.
  const ids = sql`SELECT u.id FROM users u WHERE ${pageCondition} ORDER BY ${order} LIMIT ${page.limit} OFFSET ${page.offset}`
  const rows = selectAll(db, sql<UserRow>`SELECT u.* FROM users u WHERE u.id IN (${ids}) ORDER BY ${order}`)
  return { rows, total }
}

/** The minimum length of a search that uses the trigram index. A shorter search compares every name. */
const TRIGRAM_LENGTH = 3

/**
 * Returns a condition for users (alias `u`) that a search finds: by part of the name or user name, or by a full email
 * address. With `allEmails`, for administrators, all addresses match, otherwise only public ones (spec rest-api,
 * Users).
 */
export function searchCondition(search: string, allEmails: boolean): RawBuilder<SqlBool> {
  const names =
    [...search].length < TRIGRAM_LENGTH
      ? sql`SELECT id FROM users WHERE ${contains('username', search)} OR ${contains('name', search)}`
      : sql`SELECT rowid FROM users_fts WHERE users_fts MATCH ${`"${search.replaceAll('"', '""')}"`}`
  const publicEmails = sql`SELECT id FROM users WHERE public_email <> '' AND public_email = ${search} COLLATE NOCASE`
  const emails = allEmails
    ? sql`${publicEmails} UNION SELECT id FROM users WHERE email = ${search} COLLATE NOCASE
        UNION SELECT user_id FROM user_emails WHERE email = ${search} COLLATE NOCASE`
    : publicEmails
  return sql<SqlBool>`u.id IN (${names} UNION ${emails})`
}

/** Returns an order with exact matches of a search first. With `allEmails`, primary email addresses match, too. */
export function exactMatchFirst(search: string, allEmails: boolean): RawBuilder<unknown> {
  const email = allEmails ? sql`OR u.email = ${search} COLLATE NOCASE` : sql``
  return sql`(u.username = ${search} OR u.name = ${search} COLLATE NOCASE ${email}) DESC`
}
