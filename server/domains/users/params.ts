import type { Ctx } from '../../ctx.ts'
import { as, oneOf, type Shown } from '../../http/entity.ts'
import type { Limit } from '../../http/limit.ts'
import { bool, int, text, choice, timestamp } from '../../http/params.ts'
import { page, type Paging, type Rows } from '../../http/returns.ts'
import { Failure, fail } from '../../lib/fail.ts'
import { settingsOf } from '../settings/index.ts'
import { attributeParams } from './custom_attributes/routes.ts'
import { ofMany as customAttributesOf } from './custom_attributes/store.ts'
import { UserBasic, UserWithAdmin } from './entity.ts'
import { withDetails } from './store-details.ts'
import { USER_ORDERS, list, type UserFilter, type UserCursor } from './store-list.ts'
import type { UserRow } from './store.ts'

/** Filters of all callers (spec rest-api, Users). */
const openParams = {
  search: text({ max: 1024 }).optional().describe('Part of a name or user name, or a whole email address'),
  username: text({ max: 255 }).optional().describe('Exactly this user name, in any case'),
  active: bool().optional().describe('Only active users'),
  blocked: bool().optional().describe('Only blocked users'),
  external: bool().optional().describe('Only external users'),
  exclude_external: bool().optional().describe('No external users'),
  exclude_internal: bool().optional().describe('Exclude users of the instance itself'),
  without_project_bots: bool().optional().describe('No bots of project and group tokens'),
}

/** All filters. The additional ones have an effect for administrators only. */
export const listParams = {
  ...openParams,
  admins: bool().optional().describe('Only administrators (administrators)'),
  two_factor: choice('enabled', 'disabled')
    .optional()
    .describe('Only users with a second factor, or only others (administrators)'),
  without_projects: bool().optional().describe('Only users without projects (administrators)'),
  extern_uid: text({ max: 255 }).optional().describe('Name at the sign-in provider (administrators)'),
  provider: text({ max: 255 }).optional().describe('Sign-in provider of `extern_uid` (administrators)'),
  saml_provider_id: int().optional().describe('Only users of this SAML provider (administrators)'),
  created_before: timestamp().optional().describe('Only users created before (administrators)'),
  created_after: timestamp().optional().describe('Only users created after (administrators)'),
  ...attributeParams,
  cursor: text({ max: 2000 }).optional().describe('Cursor of the next keyset page, from the `Link` header'),
}

/** A page of users, in the view of the caller. */
export const userPage = page(oneOf(UserBasic, UserWithAdmin), {
  order_by: USER_ORDERS,
  order: 'id',
  keyset: USER_ORDERS,
})

type Request = UserFilter & {
  with_custom_attributes?: boolean | undefined
  cursor?: string | undefined
}

const OPEN = Object.keys(openParams) as (keyof typeof openParams)[]

/**
 * Finds a page of users. Throws 403 for anonymous callers without a user name, or if the settings forbid public
 * profiles.
 */
export function showUsers(ctx: Ctx, request: Request, asked: Paging): Rows<Shown> {
  const isShut = settingsOf(ctx).restricted_visibility_levels.includes('public')
  if (ctx.actor.kind === 'anonymous' && (isShut || !request.username)) {
    throw fail('forbidden', '403 Forbidden - Not authorized to access /api/v4/users')
  }
  const { is_admin } = ctx.actor
  const { cursor, with_custom_attributes, ...filters } = request
  const open = Object.fromEntries(OPEN.map((name) => [name, filters[name]]))
  const paging = is_admin ? asked : { ...asked, order_by: 'id', sort: 'desc' as const }
  const after = paging.keyset && cursor ? readCursor(cursor, paging.order_by) : undefined
  const filter: UserFilter = is_admin ? { ...filters, searchAllEmails: true } : open
  const result = list(ctx.db, { ...filter, after }, paging)
  const isMore = paging.keyset && result.rows.length > paging.per_page
  const rows = isMore ? result.rows.slice(0, paging.per_page) : result.rows
  const next = isMore ? { cursor: makeCursor(rows.at(-1)!, paging.order_by) } : undefined
  if (!is_admin) return { rows: rows.map((row) => as(UserBasic, row)), total: result.total, next }
  const ids = rows.map((row) => row.id)
  const attributes = with_custom_attributes ? customAttributesOf(ctx.db, 'user', ids) : undefined
  const views = withDetails(ctx.db, rows, ctx.actor.id).map((row) =>
    as(UserWithAdmin, attributes ? { ...row, custom_attributes: attributes.get(row.id) ?? [] } : row),
  )
  return { rows: views, total: result.total, next }
}

/** Makes the opaque cursor of a position in a list (spec core 8.6): sort column, ID and direction as Base64 JSON. */
function makeCursor(row: UserRow, order_by: string): string {
  const value = String(row[order_by as keyof UserRow])
  return Buffer.from(JSON.stringify({ [order_by]: value, id: String(row.id), _kd: 'n' })).toString(
    'base64url',
  )
}

/** Parses a cursor. Throws 400 for a cursor of another order. */
function readCursor(cursor: string, order_by: string): UserCursor {
  try {
    const parts = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as Record<string, unknown>
    const [value, id] = [parts[order_by], parts['id']]
    if (typeof value === 'string' && typeof id === 'string' && /^\d{1,15}$/.test(id))
      return { value, id: Number(id) }
  } catch {
    // The cursor is invalid. The error below reports it.
  }
  throw new Failure('parameter', 'cursor is invalid')
}

/** The maximum number of suggestions per minute and caller, for fields that take a user. */
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
 * The maximum number of searches per minute of one user, or of one address for anonymous callers (spec administration
 * 1.2). The window searches after every pause in typing, so its requests are not counted.
 */
export const searchLimit: Limit = {
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

/** The profile fields that users set. The columns have the same names. */
export const profileParams = {
  bio: line('About the user'),
  location: line('Location'),
  organization: line('Organization'),
  job_title: line('Job title'),
  website_url: line('Web site', 1024),
  linkedin: line('Name on LinkedIn', 500),
  skype: line('Name on Skype', 500),
  twitter: line('Name on Twitter', 500),
  discord: line('Id on Discord', 500),
  pronouns: line('Pronouns', 50),
  private_profile: bool().nullable().optional().describe('Hide most of the profile from others'),
  public_email: line('Public address; one of the confirmed addresses of the user', 254),
  commit_email: line('Address in commits; a confirmed one of the user, or `_private`', 254),
  theme_id: int({ min: 1, max: 11 }).optional().describe('Colours of the window'),
  color_scheme_id: int({ min: 1, max: 6 }).optional().describe('Colours of code'),
  view_diffs_file_by_file: bool().optional().describe('Show one file of a diff at a time'),
}

/** The fields of a user that only administrators set. */
export const accountParams = {
  ...profileParams,
  can_create_group: bool().optional().describe('May create top-level groups'),
  external: bool()
    .optional()
    .describe('Whether the user is external: they do not see internal groups and projects'),
  auditor: bool().optional().describe('May read everything'),
  projects_limit: int({ min: 0 }).optional().describe('Personal projects the user may have'),
  note: text({ max: 10_000 }).nullable().optional().describe('Note of administrators'),
  shared_runners_minutes_limit: int({ min: 0 })
    .nullable()
    .optional()
    .describe('Minutes on shared runners in a month; empty for the limit of the instance, 0 for no limit'),
  extra_shared_runners_minutes_limit: int({ min: 0 })
    .nullable()
    .optional()
    .describe('Additional minutes on shared runners'),
}

const RENAMED: Readonly<Record<string, string>> = { admin: 'is_admin', auditor: 'is_auditor' }
/** Columns that may be null. The others become empty instead. */
const NULLABLE = new Set([
  'pronouns',
  'note',
  'commit_email',
  'shared_runners_minutes_limit',
  'extra_shared_runners_minutes_limit',
])

/** Turns attributes into columns. Leaves out undefined attributes; null clears. */
export function toColumns(
  input: Readonly<Record<string, unknown>>,
): Record<string, string | number | boolean | null> {
  const columns: Record<string, string | number | boolean | null> = {}
  for (const [name, value] of Object.entries(input)) {
    if (value === undefined) continue
    const column = RENAMED[name] ?? name
    if (value === null) columns[column] = NULLABLE.has(name) ? null : name === 'private_profile' ? false : ''
    else columns[column] = value as string | number | boolean
  }
  // An empty commit address selects the primary one.
  if (columns['commit_email'] === '') columns['commit_email'] = null
  return columns
}
