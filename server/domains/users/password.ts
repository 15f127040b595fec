import type { Ctx } from '../../ctx.ts'
import { hashPassword } from '../../lib/crypto.ts'
import { invalid } from '../../lib/fail.ts'
import { settingsOf } from '../settings/index.ts'
import { isWeakPassword, type PasswordOwner } from './weak-password.ts'

/** scrypt would take any length; a megabyte of password is an attack, not a password. */
const MAX_LENGTH = 128
const WEAK = 'must not contain commonly used combinations of words and letters'

/** Every problem with a password, in the contract's words. */
function problemsOf(ctx: Ctx, password: string): string[] {
  const settings = settingsOf(ctx)
  const least = settings.minimum_password_length
  const wanted: [boolean, RegExp, string][] = [
    [settings.password_number_required, /\p{Nd}/u, 'number'],
    [settings.password_lowercase_required, /\p{Ll}/u, 'lowercase letter'],
    [settings.password_uppercase_required, /\p{Lu}/u, 'uppercase letter'],
    [settings.password_symbol_required, /[^\p{L}\p{N}\s]/u, 'symbol'],
  ]
  return [
    ...(password.length < least ? [`is too short (minimum is ${least} characters)`] : []),
    ...(password.length > MAX_LENGTH ? [`is too long (maximum is ${MAX_LENGTH} characters)`] : []),
    ...wanted
      .filter(([isOn, pattern]) => isOn && !pattern.test(password))
      .map(([, , what]) => `must contain at least one ${what}`),
  ]
}

/** Checks and hashes a password of `owner`. Throws 400 `{"message":{"password":["is too short …"]}}`. */
export async function passwordHash(ctx: Ctx, password: string, owner: PasswordOwner): Promise<string> {
  const problems = problemsOf(ctx, password)
  // A short one is refused anyhow, and a very long one is not worth the search.
  const isOfLength =
    password.length >= settingsOf(ctx).minimum_password_length && password.length <= MAX_LENGTH
  if (isOfLength && (await isWeakPassword(password, owner))) problems.push(WEAK)
  if (problems.length > 0) throw invalid({ password: problems })
  return hashPassword(password, ctx.config.hashCost)
}

/** The hash of a password that nobody knows; the rules are for people. */
export function unknownPasswordHash(ctx: Ctx): Promise<string> {
  return hashPassword(ctx.random.token(64), ctx.config.hashCost)
}
