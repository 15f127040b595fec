import { z } from 'zod'

import { TOKEN_PREFIX } from '../../../http/aliases.ts'
import { param, refuse } from '../../../http/param.ts'
import { bool, int, intChoice, text } from '../../../http/params.ts'
import { setting, type Setting } from './setting.ts'

/** Least size of new SSH keys of one family; 0 allows any, -1 forbids the family. */
const keyRestriction = (family: string, ...sizes: readonly number[]) =>
  setting(
    intChoice(0, -1, ...sizes).describe(
      `Bits that ${family} keys have at least; 0 for any, -1 for no such keys`,
    ),
    z.int(),
    0,
  )

/** The literal `nil` stands for both protocols, as an empty value does. */
const gitProtocol = () =>
  param<'ssh' | 'http' | null>({ type: 'string', enum: ['ssh', 'http', 'nil'] }, (raw) => {
    if (raw === 'nil') return null
    return raw === 'ssh' || raw === 'http' ? raw : refuse('does not have a valid value')
  })

/** Passwords, tokens, sessions and keys. */
export const signIn = {
  minimum_password_length: setting(
    int({ min: 8, max: 128 }).describe('Characters a password has at least'),
    z.int(),
    8,
  ),
  password_authentication_enabled_for_web: setting(
    bool().describe('Passwords are accepted in the window'),
    z.boolean(),
    true,
  ),
  password_authentication_enabled_for_git: setting(
    bool().describe('Passwords are accepted by git over HTTP'),
    z.boolean(),
    true,
  ),
  password_number_required: setting(bool().describe('Passwords have a digit'), z.boolean(), false),
  password_symbol_required: setting(bool().describe('Passwords have a symbol'), z.boolean(), false),
  password_uppercase_required: setting(
    bool().describe('Passwords have an upper-case letter'),
    z.boolean(),
    false,
  ),
  password_lowercase_required: setting(
    bool().describe('Passwords have a lower-case letter'),
    z.boolean(),
    false,
  ),
  personal_access_token_prefix: setting(
    text({ max: 20 }).nullable().describe('What new tokens begin with'),
    z.string().nullable(),
    TOKEN_PREFIX,
  ),
  session_expire_delay: setting(
    int({ min: 0, max: 525_600 }).describe('Minutes until a session ends'),
    z.int(),
    10_080,
  ),
  rsa_key_restriction: keyRestriction('RSA', 1024, 2048, 3072, 4096),
  dsa_key_restriction: keyRestriction('DSA', 1024, 2048, 3072),
  ecdsa_key_restriction: keyRestriction('ECDSA', 256, 384, 521),
  ed25519_key_restriction: keyRestriction('ED25519', 256),
  ecdsa_sk_key_restriction: keyRestriction('ECDSA_SK', 256),
  ed25519_sk_key_restriction: keyRestriction('ED25519_SK', 256),
  max_ssh_key_lifetime: setting(
    int({ min: 1, max: 365 })
      .nullable()
      .describe('Days after which new SSH keys end at the latest; empty means any'),
    z.int().nullable(),
    null,
  ),
  enabled_git_access_protocol: setting(
    gitProtocol().nullable().describe('`ssh` or `http` where git may use only that; `nil` or empty for both'),
    z.enum(['ssh', 'http']).nullable(),
    null,
  ),
} satisfies Record<string, Setting>
