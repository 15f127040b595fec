import type { Ctx } from '../../ctx.ts'
import { as, oneOf, type PresentedRow } from '../../http/entity.ts'
import type { Limit } from '../../http/limit.ts'
import { bool, int, text, choice, timestamp } from '../../http/params.ts'
import { page, type Paging, type Rows } from '../../http/returns.ts'
import { Failure, fail } from '../../lib/fail.ts'
import { settingsOf } from '../settings/index.ts'
import { attributeParams } from './custom_attributes/routes.ts'
import { attributesOfOwners as customAttributesOf } from './custom_attributes/store.ts'
import { UserBasic, UserWithAdmin } from './entity.ts'
import { withDetails } from './store-details.ts'
import { USER_ORDERS, list, type UserFilter, type UserCursor } from './store-list.ts'
import type { UserRow } from './store.ts'

/** Filters for all callers (spec rest-api, Users). */
const publicParams = {
  search: text({ max: 1024 })
    .optional()
    .describe('Search by part of the name or username, or by the full email address'),
  username: text({ max: 255 }).optional().describe('Limit to the user with this username'),
  active: bool().optional().describe('Limit to active users'),
  blocked: bool().optional().describe('Limit to blocked users'),
  external: bool().optional().describe('Limit to external users'),
  exclude_external: bool().optional().describe('Exclude external users'),
  exclude_internal: bool().optional().describe('Exclude internal users, such as the ghost user'),
  without_project_bots: bool()
    .optional()
    .describe('Exclude the bot users of project and group access tokens'),
}

/** All filters. Those in addition to `publicParams` have an effect for administrators only. */
export const listParams = {
  ...publicParams,
  admins: bool().optional().describe('Limit to administrators. Administrators only'),
  two_factor: choice('enabled', 'disabled')
    .optional()
    .describe('Limit to users with or without two-factor authentication. Administrators only'),
  without_projects: bool().optional().describe('Limit to users without projects. Administrators only'),
  extern_uid: text({ max: 255 })
    .optional()
    .describe('Limit to the user with this ID at the identity provider. Administrators only'),
  provider: text({ max: 255 })
    .optional()
    .describe('The identity provider of `extern_uid`. Administrators only'),
  saml_provider_id: int().optional().describe('Limit to users of this SAML provider. Administrators only'),
  created_before: timestamp()
    .optional()
    .describe('Limit to users created before this time. Administrators only'),
  created_after: timestamp()
    .optional()
    .describe('Limit to users created after this time. Administrators only'),
  ...attributeParams,
  cursor: text({ max: 2000 }).optional().describe('Cursor of the next keyset page, from the `Link` header'),
}

/** A page of users, in the view for administrators or in the view for others. */
export const userPage = page(oneOf(UserBasic, UserWithAdmin), {
  order_by: USER_ORDERS,
  order: 'id',
  keyset: USER_ORDERS,
})

type Request = UserFilter & {
  with_custom_attributes?: boolean | undefined
  cursor?: string | undefined
}

const PUBLIC_FILTERS = Object.keys(publicParams) as (keyof typeof publicParams)[]

/**
 * Returns a page of users. Throws 403 for anonymous callers who do not filter by user name, or if the settings forbid
 * public profiles.
 */
export function showUsers(ctx: Ctx, request: Request, requestedPaging: Paging): Rows<PresentedRow> {
  const isPublicRestricted = settingsOf(ctx).restricted_visibility_levels.includes('public')
  if (ctx.actor.kind === 'anonymous' && (isPublicRestricted || !request.username)) {
    throw fail('forbidden', '403 Forbidden - Not authorized to access /api/v4/users')
  }
  const { is_admin } = ctx.actor
  const { cursor, with_custom_attributes, ...filters } = request
  const publicFilters = Object.fromEntries(PUBLIC_FILTERS.map((name) => [name, filters[name]]))
  const paging = is_admin ? requestedPaging : { ...requestedPaging, order_by: 'id', sort: 'desc' as const }
  const after = paging.keyset && cursor ? readCursor(cursor, paging.order_by) : undefined
  const filter: UserFilter = is_admin ? { ...filters, searchAllEmails: true } : publicFilters
  const result = list(ctx.db, { ...filter, after }, paging)
  const hasMore = paging.keyset && result.rows.length > paging.per_page
  const rows = hasMore ? result.rows.slice(0, paging.per_page) : result.rows
  const next = hasMore ? { cursor: makeCursor(rows.at(-1)!, paging.order_by) } : undefined
  if (!is_admin) return { rows: rows.map((row) => as(UserBasic, row)), total: result.total, next }
  const ids = rows.map((row) => row.id)
  const attributes = with_custom_attributes ? customAttributesOf(ctx.db, 'user', ids) : undefined
  const views = withDetails(ctx.db, rows, ctx.actor.id).map((row) =>
    as(UserWithAdmin, attributes ? { ...row, custom_attributes: attributes.get(row.id) ?? [] } : row),
  )
  return { rows: views, total: result.total, next }
}

/** Returns the opaque cursor of a position in a list (spec core 8.6): sort column, id and direction as Base64 JSON. */
function makeCursor(row: UserRow, order_by: string): string {
  const value = String(row[order_by as keyof UserRow])
  return Buffer.from(JSON.stringify({ [order_by]: value, id: String(row.id), _kd: 'n' })).toString(
    'base64url',
  )
}

/** Parses a cursor. Throws 400 for a cursor of another order. */
function readCursor(cursor: string, order_by: string): UserCursor {
  try {
    const fields = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as Record<string, unknown>
    const [value, id] = [fields[order_by], fields['id']]
    if (typeof value === 'string' && typeof id === 'string' && /^\d{1,15}$/.test(id))
      return { value, id: Number(id) }
  } catch {
    // The text is not JSON, so it is no cursor. The error follows.
  }
  throw new Failure('parameter', 'cursor is invalid')
}

/** The maximum number of requests per minute of one caller for suggestions of users. */
export const suggestionLimit: Limit = {
  max: 300,
  per: 60,
  by: ({ params }) => (params['search'] ? '' : undefined),
  maxOf: (ctx: Ctx) => {
    const { autocomplete_users, autocomplete_users_unauthenticated } = settingsOf(ctx)
    return ctx.actor.kind === 'anonymous' ? autocomplete_users_unauthenticated : autocomplete_users
  },
}

/**
 * The maximum number of searches per minute of one user, or of one IP address for anonymous callers (spec
 * administration 1.2). Searches of the window are not counted, because it sends one after every pause in typing.
 */
export const userSearchLimit: Limit = {
  max: 30,
  per: 60,
  together: 'search',
  by: ({ params }) => (params['search'] ? '' : undefined),
  maxOf: (ctx: Ctx) => {
    if (ctx.actor.kind === 'user' && ctx.actor.via === 'session') return 0
    const { search_rate_limit, search_rate_limit_unauthenticated } = settingsOf(ctx)
    return ctx.actor.kind === 'anonymous' ? search_rate_limit_unauthenticated : search_rate_limit
  },
}

const line = (description: string, max = 255) => text({ max }).nullable().optional().describe(description)

/** The profile fields that users may set. The columns have the same names. */
export const profileParams = {
  bio: line('The biography of the user'),
  location: line('Location'),
  organization: line('Organization'),
  job_title: line('Job title'),
  website_url: line('Website', 1024),
  linkedin: line('LinkedIn account', 500),
  skype: line('Skype ID', 500),
  twitter: line('Twitter account', 500),
  discord: line('Discord user ID', 500),
  pronouns: line('Pronouns', 50),
  private_profile: bool().nullable().optional().describe('Whether the profile is private'),
  public_email: line('Public email address. It must be a confirmed address of the user', 254),
  commit_email: line(
    'Email address for commits. It must be a confirmed address of the user, or `_private`',
    254,
  ),
  theme_id: int({ min: 1, max: 11 }).optional().describe('The ID of the theme of the window'),
  color_scheme_id: int({ min: 1, max: 6 }).optional().describe('The ID of the syntax highlighting theme'),
  view_diffs_file_by_file: bool().optional().describe('Whether diffs show one file at a time'),
}

/** The fields of a user that administrators may set. */
export const accountParams = {
  ...profileParams,
  can_create_group: bool().optional().describe('Whether the user can create top-level groups'),
  external: bool()
    .optional()
    .describe('Whether the user is external. External users cannot see internal groups and projects'),
  auditor: bool().optional().describe('Whether the user is an auditor, who can read everything'),
  projects_limit: int({ min: 0 }).optional().describe('Maximum number of personal projects of the user'),
  note: text({ max: 10_000 }).nullable().optional().describe('Note for administrators'),
  shared_runners_minutes_limit: int({ min: 0 })
    .nullable()
    .optional()
    .describe(
      'Monthly compute minutes on shared runners. Null means the limit of the instance, 0 means no limit',
    ),
  extra_shared_runners_minutes_limit: int({ min: 0 })
    .nullable()
    .optional()
    .describe('Additional compute minutes on shared runners'),
}

const COLUMN_NAMES: Readonly<Record<string, string>> = { admin: 'is_admin', auditor: 'is_auditor' }
/** Attributes with columns that may be null. For other columns null becomes an empty text. */
const NULLABLE = new Set([
  'pronouns',
  'note',
  'commit_email',
  'shared_runners_minutes_limit',
  'extra_shared_runners_minutes_limit',
])

/** Returns attributes as columns, without undefined ones. Null clears a column. */
export function toColumns(
  input: Readonly<Record<string, unknown>>,
): Record<string, string | number | boolean | null> {
  const columns: Record<string, string | number | boolean | null> = {}
  for (const [name, value] of Object.entries(input)) {
    if (value === undefined) continue
    const column = COLUMN_NAMES[name] ?? name
    if (value === null) columns[column] = NULLABLE.has(name) ? null : name === 'private_profile' ? false : ''
    else columns[column] = value as string | number | boolean
  }
  // An empty commit address selects the primary one.
  if (columns['commit_email'] === '') columns['commit_email'] = null
  return columns
}
