import { z } from 'zod'

import { date, entity, time, row } from '../../http/entity.ts'
import type { ClockMode } from '../../lib/clock.ts'
import { isoDate } from '../../lib/clock.ts'
import { UserPublic, UserWithAdmin } from '../users/entity.ts'
import type { UserDetailRow } from '../users/index.ts'
import type { Duty } from './credentials/account-state.ts'
import type { AdminMode } from './credentials/admin-mode.ts'
import type { OneTimeLink } from './sign_in/recovery.ts'
import type { SessionRow, TokenRow } from './store.ts'
import type { NewToken } from './tokens/service.ts'

const tokenFields = {
  id: z.int(),
  name: z.string(),
  revoked: z.boolean(),
  created_at: time(),
  scopes: z.array(z.string()),
  user_id: z.int(),
  last_used_at: time().nullable(),
  active: z.boolean(),
  expires_at: date().nullable(),
}

function tokenOf(row: TokenRow, now: string) {
  const expired = row.expires_at !== null && row.expires_at <= isoDate(now)
  return {
    id: row.id,
    name: row.name,
    revoked: row.revoked,
    created_at: row.created_at,
    scopes: row.scopes,
    user_id: row.user_id,
    last_used_at: row.last_used_at,
    active: !row.revoked && !expired,
    expires_at: row.expires_at,
  }
}

/** A personal access token (spec core 7.4). */
export const PersonalAccessToken = entity('PersonalAccessToken', tokenFields, (row: TokenRow, at) =>
  tokenOf(row, at.now),
)

/** A new personal access token with its secret value, which no other response contains. */
export const PersonalAccessTokenWithToken = entity(
  'PersonalAccessTokenWithToken',
  { ...tokenFields, token: z.string() },
  ({ row, token }: NewToken, at) => ({ ...tokenOf(row, at.now), token }),
)

/** A token with which an administrator acts as a user (spec core 7.4). */
export const ImpersonationToken = entity(
  'ImpersonationToken',
  { ...tokenFields, impersonation: z.literal(true) },
  (row: TokenRow, at) => ({ ...tokenOf(row, at.now), impersonation: true as const }),
)

/** A new impersonation token with its secret value, which no other response contains. */
export const ImpersonationTokenWithToken = entity(
  'ImpersonationTokenWithToken',
  { ...tokenFields, impersonation: z.literal(true), token: z.string() },
  ({ row, token }: NewToken, at) => ({ ...tokenOf(row, at.now), impersonation: true as const, token }),
)

/** A session of the user. */
export const OwnSession = entity(
  'OwnSession',
  {
    id: z.int(),
    ip: z.string(),
    user_agent: z.string(),
    created_at: time(),
    last_seen_at: time(),
    expires_at: time(),
    current: z.boolean(),
  },
  row<SessionRow & { current: boolean }>(),
)

/** A link that an administrator passes to a user. `expires_at` is null if it is valid until it is used. */
export const OneTimeLinkView = entity(
  'OneTimeLink',
  { url: z.string(), token: z.string(), expires_at: time().nullable() },
  ({ url, token, expires_at }: OneTimeLink) => ({ url, token, expires_at }),
)

/** State of the session and the instance. The window loads it first. */
export interface SessionState {
  user: UserDetailRow | undefined
  /** State of admin mode for this session. */
  admin_mode: AdminMode
  /** CSRF token that a page of this session sends with its requests. */
  csrf_token: string | null
  /** Ticket that replaces the CSRF token in URLs of files; null if these need none. */
  file_ticket: string | null
  /** The step that the user must complete first, such as changing the password. */
  duty: Duty | null
  /** Text of the terms of service, if they are enforced. */
  terms: string | null
  first_run: boolean
  instance: {
    name: string
    version: string
    url: string
    sign_up_enabled: boolean
    sign_in_text: string | null
    after_sign_up_text: string | null
    after_sign_out_path: string | null
    password_sign_in: boolean
    remember_me: boolean
    minimum_password_length: number
    maintenance: string | null
    clock: { mode: ClockMode; now: string }
  }
  message?: string | undefined
  token?: NewToken | undefined
}

const sessionFields = {
  user: z.union([UserWithAdmin.schema, UserPublic.schema]).nullable(),
  admin_mode: z.enum(['none', 'asleep', 'active']),
  csrf_token: z.string().nullable(),
  file_ticket: z.string().nullable(),
  duty: z.enum(['change_password', 'accept_terms']).nullable(),
  terms: z.string().nullable(),
  first_run: z.boolean(),
  instance: z.strictObject({
    name: z.string(),
    version: z.string(),
    url: z.string(),
    sign_up_enabled: z.boolean(),
    sign_in_text: z.string().nullable(),
    after_sign_up_text: z.string().nullable(),
    after_sign_out_path: z.string().nullable(),
    password_sign_in: z.boolean(),
    remember_me: z.boolean(),
    minimum_password_length: z.int(),
    // The message of the maintenance mode.
    maintenance: z.string().nullable(),
    // The clock of the instance; the window shows it if it differs from the clock of the computer.
    clock: z.strictObject({ mode: z.enum(['real', 'frozen', 'moved']), now: z.string() }),
  }),
}

/** Outside admin mode the window treats an administrator as a regular user. */
function viewOf({ user, admin_mode }: SessionState) {
  return user?.is_admin && admin_mode !== 'asleep' ? UserWithAdmin : UserPublic
}

/** The window's session. */
export const Session = entity(
  'Session',
  { ...sessionFields, message: z.string().optional(), token: PersonalAccessTokenWithToken.schema.optional() },
  (state: SessionState, at) => ({
    user: state.user ? viewOf(state).present(state.user, at) : null,
    admin_mode: state.admin_mode,
    csrf_token: state.csrf_token,
    file_ticket: state.file_ticket,
    duty: state.duty,
    terms: state.terms,
    first_run: state.first_run,
    instance: state.instance,
    ...(state.message ? { message: state.message } : {}),
    ...(state.token ? { token: PersonalAccessTokenWithToken.present(state.token, at) } : {}),
  }),
)

/** Suggested values and information about the instance for the first-run page. */
export interface FirstRunState {
  name: string
  username: string
  email: string
  source: string | null
  data_dir: string
  data_dir_bytes_free: number
  git_version: string
  url: string
}

/** Suggested values and information about the instance for the first-run page. */
export const FirstRun = entity(
  'FirstRun',
  {
    name: z.string(),
    username: z.string(),
    email: z.string(),
    source: z.string().nullable(),
    data_dir: z.string(),
    data_dir_bytes_free: z.number(),
    git_version: z.string(),
    url: z.string(),
  },
  (state: FirstRunState) => state,
)
