import type { Ctx } from '../../ctx.ts'
import { hashPassword } from '../../lib/security/crypto.ts'
import { invalid } from '../../lib/fail.ts'
import { settingsOf } from '../settings/index.ts'

/** The maximum number of characters of a password. Hashing a very long password would be an attack on the CPU. */
const MAX_LENGTH = 128
const WEAK = 'must not contain commonly used combinations of words and letters'

/** Returns every problem with a password, with the contract's messages. */
function problemsOf(ctx: Ctx, password: string): string[] {
  const settings = settingsOf(ctx)
  const minLength = settings.minimum_password_length
  const rules: [boolean, RegExp, string][] = [
    [settings.password_number_required, /\p{Nd}/u, 'number'],
    [settings.password_lowercase_required, /\p{Ll}/u, 'lowercase letter'],
    [settings.password_uppercase_required, /\p{Lu}/u, 'uppercase letter'],
    [settings.password_symbol_required, /[^\p{L}\p{N}\s]/u, 'symbol'],
  ]
  return [
    ...(password.length < minLength ? [`is too short (minimum is ${minLength} characters)`] : []),
    ...(password.length > MAX_LENGTH ? [`is too long (maximum is ${MAX_LENGTH} characters)`] : []),
    ...rules
      .filter(([isRequired, pattern]) => isRequired && !pattern.test(password))
      .map(([, , character]) => `must contain at least one ${character}`),
  ]
}

/** Checks and hashes a password of `owner`. Throws 400 `{"message":{"password":["is too short …"]}}`. */
export async function passwordHash(ctx: Ctx, password: string, owner: PasswordOwner): Promise<string> {
  const problems = problemsOf(ctx, password)
  // A password of a wrong length needs no search in the list of common ones.
  const hasValidLength =
    password.length >= settingsOf(ctx).minimum_password_length && password.length <= MAX_LENGTH
  if (hasValidLength && (await isWeakPassword(password, owner))) problems.push(WEAK)
  if (problems.length > 0) throw invalid({ password: problems })
  return hashPassword(password, ctx.config.hashCost)
}

/** Returns the hash of a random password, which nobody knows. */
export function unknownPasswordHash(ctx: Ctx): Promise<string> {
  return hashPassword(ctx.random.token(64), ctx.config.hashCost)
}

/** The public data of an owner. Passwords that contain it are easy to guess. */
export interface PasswordOwner {
  readonly username: string
  readonly name: string
  readonly email: string
}

/** The minimum length of a forbidden or common word. Shorter words occur in too many strong passwords. */
const MIN_WORD_LENGTH = 4

/** A common word with at most this number of digits and signs before and after it is a weak password. */
const MAX_AFFIX_LENGTH = 4

/** The length of the longest common password in the list. */
const MAX_WORD_LENGTH = 20

/** The name of the product, which attackers are likely to try. */
const PRODUCT = 'deskforge'

/**
 * Returns true if a password is easy to guess: it is one of the 49,000 most common ones, or one of them with a few
 * digits or signs before or after it, or it contains the name, user name or email address of its owner. The list is
 * loaded on first use.
 */
export async function isWeakPassword(password: string, owner: PasswordOwner): Promise<boolean> {
  const text = password.normalize('NFKC').toLowerCase()
  if (forbiddenWordsOf(owner).some((word) => text.includes(word))) return true
  if (text.length > MAX_WORD_LENGTH + MAX_AFFIX_LENGTH) return false
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  // The list is searched without an index, because passwords are set too rarely to spend memory on one.
  const common = dictionary['passwords-common'] as readonly string[]
  const word = text.replace(/^\P{L}+|\P{L}+$/gu, '')
  const hasShortAffix = word.length >= MIN_WORD_LENGTH && text.length - word.length <= MAX_AFFIX_LENGTH
  return common.includes(text) || (hasShortAffix && common.includes(word))
}

function forbiddenWordsOf({ username, name, email }: PasswordOwner): string[] {
  const [local = ''] = email.split('@', 1)
  const words = [username, name, name.replaceAll(/\s+/g, ''), ...name.split(/\s+/), local, email, PRODUCT]
  return words
    .map((word) => word.normalize('NFKC').trim().toLowerCase())
    .filter((word) => word.length >= MIN_WORD_LENGTH)
}
