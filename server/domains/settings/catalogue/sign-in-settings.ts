import { z } from 'zod'

import { TOKEN_PREFIX } from '../../../lib/aliases.ts'
import { param, refuse } from '../../../http/param.ts'
import { flag, line, oneNumberOf, special, whole, wholeOrNone } from './params-kinds.ts'
import { list } from './params-lists.ts'
import type { Setting } from './types.ts'

/** Passwords and sessions. */
export const signIn = {
  password_authentication_enabled_for_web: flag(
    true,
    'Passwords are accepted in the window',
    'Without it, people need another way in, or the application’s own window.',
  ),
  password_authentication_enabled_for_git: flag(
    true,
    'Passwords are accepted by git over HTTP',
    'Without it, git needs an access token.',
  ),
  minimum_password_length: whole(8, 'Shortest password', 'Existing passwords stay valid.', {
    unit: 'characters',
    min: 8,
    max: 128,
  }),
  password_number_required: flag(false, 'Passwords have a digit', 'Existing passwords stay valid.'),
  password_symbol_required: flag(false, 'Passwords have a symbol', 'Existing passwords stay valid.'),
  password_uppercase_required: flag(false, 'Passwords have a capital', 'Existing passwords stay valid.'),
  password_lowercase_required: flag(false, 'Passwords have a small letter', 'Existing passwords stay valid.'),
  session_expire_delay: whole(
    10_080,
    'A session ends after',
    'Counted from the last time it was used. 0 never ends it.',
    { unit: 'minutes', min: 0, max: 525_600 },
  ),
  remember_me_enabled: flag(true, 'People may stay signed in', 'Otherwise a session ends with the browser.'),
  admin_mode: flag(
    false,
    'Administrators give their password again',
    'Before they administer, in each session.',
  ),
  max_login_attempts: wholeOrNone(null, 'Wrong passwords until an account is locked', 'In a row.', {
    empty: 'no limit',
    above: 0,
  }),
  failed_login_attempts_unlock_period_in_minutes: wholeOrNone(
    null,
    'A locked account opens after',
    'Counted from the last wrong password.',
    { unit: 'minutes', empty: '10', above: 0 },
  ),
  notify_on_unknown_sign_in: flag(true, 'Sign-ins from new addresses are reported', 'By e-mail to the user.'),
  unique_ips_limit_enabled: flag(
    false,
    'Accounts are used from few addresses',
    'Requests from more addresses are refused.',
  ),
  unique_ips_limit_per_user: whole(10, 'Addresses per user', 'Within the time below.', {
    min: 1,
    below: 'unique_ips_limit_enabled',
  }),
  unique_ips_limit_time_window: whole(3600, 'Counted for', 'An address is forgotten after that.', {
    unit: 'seconds',
    min: 0,
    below: 'unique_ips_limit_enabled',
  }),
  require_two_factor_authentication: flag(
    false,
    'Everybody sets up a second factor',
    'Before the hours below are over.',
    { sentWith: ['two_factor_grace_period'], effect: 'echo' },
  ),
  two_factor_grace_period: whole(48, 'Time to set it up', 'Counted from the next sign-in.', {
    unit: 'hours',
    min: 0,
    effect: 'echo',
  }),
  require_admin_two_factor_authentication: flag(
    false,
    'Administrators set up a second factor',
    'Before they administer.',
    { effect: 'echo' },
  ),
  git_two_factor_session_expiry: whole(15, 'A second factor counts for git', 'Over SSH.', {
    unit: 'minutes',
    min: 1,
    max: 10_080,
    effect: 'echo',
  }),
  disabled_oauth_sign_in_sources: list(
    [],
    'Providers that nobody signs in with',
    'Only providers that are set up are kept; this application has none.',
    { effect: 'echo' },
  ),
} satisfies Record<string, Setting>

/** Least size of new SSH keys of one family; 0 allows any, -1 forbids the family. */
const keyRestriction = (family: string, ...sizes: readonly number[]) =>
  oneNumberOf(
    [
      [0, 'Any'],
      [-1, 'None'],
      ...sizes.map((size): [number, string] => [size, `${size.toLocaleString('en')} bits`]),
    ],
    0,
    `${family} keys`,
    'What new SSH keys of this kind have at least.',
  )

const PROTOCOLS = [
  { value: 'nil', label: 'SSH and HTTP' },
  { value: 'ssh', label: 'Only SSH' },
  { value: 'http', label: 'Only HTTP' },
]

/** Tokens, keys and what git uses them over. */
export const tokens = {
  personal_access_token_prefix: line(TOKEN_PREFIX, 'New tokens begin with', 'So that scanners know them.', {
    empty: 'nothing',
    max: 20,
  }),
  disable_personal_access_tokens: flag(
    false,
    'Nobody uses personal access tokens',
    'They can neither be made nor used.',
  ),
  max_personal_access_token_lifetime: wholeOrNone(
    null,
    'Tokens end after',
    'New personal access tokens need an end within that time.',
    { unit: 'days', empty: 'no limit', min: 1, max: 365 },
  ),
  require_personal_access_token_expiry: flag(
    false,
    'Tokens have an end',
    'Personal, project and group access tokens cannot be made without.',
  ),
  enforce_pat_expiration: flag(true, 'Tokens stop working at their end', 'They always do.', {
    effect: 'echo',
  }),
  service_access_tokens_expiration_enforced: flag(
    true,
    'Tokens of service accounts have an end',
    'Where there are service accounts.',
    { effect: 'echo' },
  ),
  inactive_resource_access_tokens_delete_after_days: whole(
    30,
    'Tokens of projects and groups are forgotten after',
    'Counted from their end, together with their user.',
    { unit: 'days', above: 0, effect: 'echo' },
  ),
  disable_feed_token: flag(
    false,
    'Nobody uses feed tokens',
    'Feeds and calendars cannot be read by an address alone; there are none here.',
    { effect: 'echo' },
  ),
  max_ssh_key_lifetime: wholeOrNone(null, 'SSH keys end after', 'New keys need an end within that time.', {
    unit: 'days',
    empty: 'no limit',
    min: 1,
    max: 365,
  }),
  enforce_ssh_key_expiration: flag(true, 'SSH keys stop working at their end', 'They always do.', {
    effect: 'echo',
  }),
  rsa_key_restriction: keyRestriction('RSA', 1024, 2048, 3072, 4096),
  dsa_key_restriction: keyRestriction('DSA', 1024, 2048, 3072),
  ecdsa_key_restriction: keyRestriction('ECDSA', 256, 384, 521),
  ed25519_key_restriction: keyRestriction('ED25519', 256),
  ecdsa_sk_key_restriction: keyRestriction('ECDSA_SK', 256),
  ed25519_sk_key_restriction: keyRestriction('ED25519_SK', 256),
  authorized_keys_enabled: flag(
    true,
    'A file of SSH keys is written',
    'For a separate SSH server, which needs none.',
    { effect: 'echo' },
  ),
  enabled_git_access_protocol: special(
    {
      kind: 'choice',
      param: param<'ssh' | 'http' | null>({ type: 'string', enum: ['ssh', 'http', 'nil'] }, (raw) => {
        if (raw === 'nil') return null
        return raw === 'ssh' || raw === 'http' ? raw : refuse('does not have a valid value')
      }),
      value: z.enum(['ssh', 'http']).nullable(),
      initial: null,
      choices: PROTOCOLS,
    },
    'Git works over',
    'The other protocol is refused, and its addresses are not shown.',
  ),
} satisfies Record<string, Setting>
