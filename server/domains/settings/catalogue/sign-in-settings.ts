import { z } from 'zod'

import { TOKEN_PREFIX } from '../../../lib/aliases.ts'
import { param, refuse } from '../../../http/param.ts'
import { flag, line, numberChoice, custom, integer, integerOrNull } from './params-kinds.ts'
import { list } from './params-lists.ts'
import type { Setting } from './types.ts'

/** Passwords and sessions. */
export const signIn = {
  password_authentication_enabled_for_web: flag(
    true,
    'Allow password authentication for the web interface',
    'If off, users need another way to sign in, or the desktop application.',
  ),
  password_authentication_enabled_for_git: flag(
    true,
    'Allow password authentication for Git over HTTP(S)',
    'If off, Git needs an access token.',
  ),
  minimum_password_length: integer(8, 'Minimum password length', 'Existing passwords remain valid.', {
    unit: 'characters',
    min: 8,
    max: 128,
  }),
  password_number_required: flag(false, 'Require numbers in passwords', 'Existing passwords remain valid.'),
  password_symbol_required: flag(false, 'Require symbols in passwords', 'Existing passwords remain valid.'),
  password_uppercase_required: flag(
    false,
    'Require uppercase letters in passwords',
    'Existing passwords remain valid.',
  ),
  password_lowercase_required: flag(
    false,
    'Require lowercase letters in passwords',
    'Existing passwords remain valid.',
  ),
  session_expire_delay: integer(
    10_080,
    'Session duration',
    'Time since the last use of the session. 0 means no expiration.',
    { unit: 'minutes', min: 0, max: 525_600 },
  ),
  remember_me_enabled: flag(
    true,
    'Allow users to extend their session',
    'If off, sessions end when the browser closes.',
  ),
  admin_mode: flag(
    false,
    'Admin mode',
    'Administrators must enter their password again before administrative tasks.',
  ),
  max_login_attempts: integerOrNull(
    null,
    'Maximum failed sign-in attempts',
    'Consecutive failed attempts that lock an account.',
    {
      empty: 'no limit',
      above: 0,
    },
  ),
  failed_login_attempts_unlock_period_in_minutes: integerOrNull(
    null,
    'Unlock locked accounts after',
    'Time since the last failed attempt.',
    { unit: 'minutes', empty: '10', above: 0 },
  ),
  notify_on_unknown_sign_in: flag(
    true,
    'Email notification for unknown sign-ins',
    'Users receive an email when they sign in from a new IP address.',
  ),
  unique_ips_limit_enabled: flag(
    false,
    'Limit sign-in from multiple IP addresses',
    'Rejects requests of a user from additional IP addresses.',
  ),
  unique_ips_limit_per_user: integer(10, 'IP addresses per user', 'Maximum number within the period below.', {
    min: 1,
    below: 'unique_ips_limit_enabled',
  }),
  unique_ips_limit_time_window: integer(
    3600,
    'IP address expiration time',
    'An unused IP address no longer counts after this time.',
    {
      unit: 'seconds',
      min: 0,
      below: 'unique_ips_limit_enabled',
    },
  ),
  require_two_factor_authentication: flag(
    false,
    'Enforce two-factor authentication',
    'Applies to all users after the grace period.',
    { sentWith: ['two_factor_grace_period'], effect: 'echo' },
  ),
  two_factor_grace_period: integer(
    48,
    'Two-factor grace period',
    'Time to set up two-factor authentication after the next sign-in.',
    {
      unit: 'hours',
      min: 0,
      effect: 'echo',
    },
  ),
  require_admin_two_factor_authentication: flag(
    false,
    'Enforce two-factor authentication for administrators',
    '',
    { effect: 'echo' },
  ),
  git_two_factor_session_expiry: integer(15, 'Two-factor session duration for Git over SSH', '', {
    unit: 'minutes',
    min: 1,
    max: 10_080,
    effect: 'echo',
  }),
  disabled_oauth_sign_in_sources: list(
    [],
    'Disabled OAuth authentication sources',
    'Deskforge has no external sign-in providers.',
    { effect: 'echo' },
  ),
} satisfies Record<string, Setting>

/**
 * Returns a key length with a thousands separator. `Intl` is not used, because loading it takes a tenth of the start
 * time.
 */
const bits = (size: number): string => `${String(size).replace(/(?=\d{3}$)(?<=\d)/, ',')} bits`

/** The minimum length of new SSH keys of one type. 0 allows any length, -1 forbids the type. */
const keyRestriction = (family: string, ...sizes: readonly number[]) =>
  numberChoice(
    [[0, 'Any length'], [-1, 'Forbidden'], ...sizes.map((size): [number, string] => [size, bits(size)])],
    0,
    `${family} SSH keys`,
    'Minimum length of new SSH keys of this type.',
  )

const PROTOCOLS = [
  { value: 'nil', label: 'Both SSH and HTTP(S)' },
  { value: 'ssh', label: 'Only SSH' },
  { value: 'http', label: 'Only HTTP(S)' },
]

/** Access tokens, SSH keys and git protocols. */
export const tokens = {
  personal_access_token_prefix: line(
    TOKEN_PREFIX,
    'Personal access token prefix',
    'Prefix of new tokens, so that secret scanners recognize them.',
    {
      empty: 'nothing',
      max: 20,
    },
  ),
  disable_personal_access_tokens: flag(
    false,
    'Disable personal access tokens',
    'Users cannot create or use personal access tokens.',
  ),
  max_personal_access_token_lifetime: integerOrNull(
    null,
    'Maximum lifetime for access tokens',
    'New personal access tokens must expire within this time.',
    { unit: 'days', empty: 'no limit', min: 1, max: 365 },
  ),
  require_personal_access_token_expiry: flag(
    false,
    'Require an expiration date for access tokens',
    'Applies to new personal, project, and group access tokens.',
  ),
  enforce_pat_expiration: flag(true, 'Enforce access token expiration', 'Expired access tokens never work.', {
    effect: 'echo',
  }),
  service_access_tokens_expiration_enforced: flag(true, 'Require token expiration for service accounts', '', {
    effect: 'echo',
  }),
  inactive_resource_access_tokens_delete_after_days: integer(
    30,
    'Delete inactive project and group access tokens after',
    'Time since the expiration of the token.',
    { unit: 'days', above: 0, effect: 'echo' },
  ),
  disable_feed_token: flag(false, 'Disable feed token', 'Deskforge has no feeds with tokens.', {
    effect: 'echo',
  }),
  max_ssh_key_lifetime: integerOrNull(
    null,
    'Maximum lifetime for SSH keys',
    'New SSH keys must expire within this time.',
    {
      unit: 'days',
      empty: 'no limit',
      min: 1,
      max: 365,
    },
  ),
  enforce_ssh_key_expiration: flag(true, 'Enforce SSH key expiration', 'Expired SSH keys never work.', {
    effect: 'echo',
  }),
  rsa_key_restriction: keyRestriction('RSA', 1024, 2048, 3072, 4096),
  dsa_key_restriction: keyRestriction('DSA', 1024, 2048, 3072),
  ecdsa_key_restriction: keyRestriction('ECDSA', 256, 384, 521),
  ed25519_key_restriction: keyRestriction('ED25519', 256),
  ecdsa_sk_key_restriction: keyRestriction('ECDSA_SK', 256),
  ed25519_sk_key_restriction: keyRestriction('ED25519_SK', 256),
  authorized_keys_enabled: flag(true, 'Write to authorized_keys file', 'For an external SSH server.', {
    effect: 'echo',
  }),
  enabled_git_access_protocol: custom(
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
    'Enabled Git access protocols',
    'Rejects the other protocol and hides its clone URLs.',
  ),
} satisfies Record<string, Setting>
