import type { Ctx } from '../../ctx.ts'
import { hashPassword } from '../../lib/security/crypto.ts'
import { invalid } from '../../lib/fail.ts'
import { settingsOf } from '../settings/index.ts'

/**
 * The maximum number of characters of a password. scrypt accepts any length, so a very long password would be an
 * attack.
 */
const MAX_LENGTH = 128
const WEAK = 'must not contain commonly used combinations of words and letters'

/** Returns every problem with a password, in the contract's words. */
function problemsOf(ctx: Ctx, password: string): string[] {
  const settings = settingsOf(ctx)
  const minLength = settings.minimum_password_length
  const wanted: [boolean, RegExp, string][] = [
    [settings.password_number_required, /\p{Nd}/u, 'number'],
    [settings.password_lowercase_required, /\p{Ll}/u, 'lowercase letter'],
    [settings.password_uppercase_required, /\p{Lu}/u, 'uppercase letter'],
    [settings.password_symbol_required, /[^\p{L}\p{N}\s]/u, 'symbol'],
  ]
  return [
    ...(password.length < minLength ? [`is too short (minimum is ${minLength} characters)`] : []),
    ...(password.length > MAX_LENGTH ? [`is too long (maximum is ${MAX_LENGTH} characters)`] : []),
    ...wanted
      .filter(([isOn, pattern]) => isOn && !pattern.test(password))
      .map(([, , what]) => `must contain at least one ${what}`),
  ]
}

/** Checks and hashes a password of `owner`. Throws 400 `{"message":{"password":["is too short …"]}}`. */
export async function passwordHash(ctx: Ctx, password: string, owner: PasswordOwner): Promise<string> {
  const problems = problemsOf(ctx, password)
  // Passwords of a wrong length are refused without the search.
  const isOfLength =
    password.length >= settingsOf(ctx).minimum_password_length && password.length <= MAX_LENGTH
  if (isOfLength && (await isWeakPassword(password, owner))) problems.push(WEAK)
  if (problems.length > 0) throw invalid({ password: problems })
  return hashPassword(password, ctx.config.hashCost)
}

/** Returns the hash of a random password that nobody knows. The rules for passwords do not apply. */
export function unknownPasswordHash(ctx: Ctx): Promise<string> {
  return hashPassword(ctx.random.token(64), ctx.config.hashCost)
}

/** The data about the owner that others know and could guess a password from. */
export interface PasswordOwner {
  readonly username: string
  readonly name: string
  readonly email: string
}

/** Shorter parts of a name are ignored, since they occur in too many good passwords. */
const SHORTEST_PART = 4

/** A common word with at most this many digits and signs around it is a weak password. */
const MAX_AFFIX = 4

/** The length of the longest word of the list. */
const LONGEST_WORD = 20

/** The name of the product, which attackers try first. */
const PRODUCT = 'deskforge'

/**
 * Whether a password is easy to guess: one of the 49,000 most used ones, such a word with a few digits or signs around
 * it, or one that contains the name, user name or email address of its owner. The list is loaded on first use, so an
 * instance without passwords never has it in memory.
 */
export async function isWeakPassword(password: string, owner: PasswordOwner): Promise<boolean> {
  const text = password.normalize('NFKC').toLowerCase()
  if (partsOf(owner).some((part) => text.includes(part))) return true
  if (text.length > LONGEST_WORD + MAX_AFFIX) return false
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  // The list has no index: passwords are set too rarely to spend memory on it.
  const common = dictionary['passwords-common'] as readonly string[]
  const word = text.replace(/^\P{L}+|\P{L}+$/gu, '')
  const isLittleAround = word.length >= SHORTEST_PART && text.length - word.length <= MAX_AFFIX
  return common.includes(text) || (isLittleAround && common.includes(word))
}

function partsOf({ username, name, email }: PasswordOwner): string[] {
  const [local = ''] = email.split('@', 1)
  const parts = [username, name, name.replaceAll(/\s+/g, ''), ...name.split(/\s+/), local, email, PRODUCT]
  return parts
    .map((part) => part.normalize('NFKC').trim().toLowerCase())
    .filter((part) => part.length >= SHORTEST_PART)
}
