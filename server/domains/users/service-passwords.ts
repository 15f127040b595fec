import type { Ctx } from '../../ctx.ts'
import { hashPassword } from '../../lib/security/crypto.ts'
import { invalid } from '../../lib/fail.ts'
import { settingsOf } from '../settings/index.ts'

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

/** Whose password it is, as far as others know them. */
export interface PasswordOwner {
  readonly username: string
  readonly name: string
  readonly email: string
}

/** Parts of a name that are shorter stand in too many good passwords. */
const SHORTEST_PART = 4

/** So few digits and signs around a common word do not make it another one. */
const MOST_AROUND = 4

/** What everybody would try first here. */
const PRODUCT = 'deskforge'

/**
 * True for a password that people guess: one of the 49,000 most used, such a word with a few digits or signs around it, and
 * one that holds the name, user name or e-mail address of its owner. The list is loaded when it is first asked for; an
 * instance where nobody sets a password never has it in memory.
 */
export async function isWeakPassword(password: string, owner: PasswordOwner): Promise<boolean> {
  const text = password.normalize('NFKC').toLowerCase()
  if (partsOf(owner).some((part) => text.includes(part))) return true
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  // Searched as it is: passwords are set too rarely for an index to be worth its memory.
  const common = dictionary['passwords-common'] as readonly string[]
  const word = text.replace(/^\P{L}+|\P{L}+$/gu, '')
  const isLittleAround = word.length >= SHORTEST_PART && text.length - word.length <= MOST_AROUND
  return common.includes(text) || (isLittleAround && common.includes(word))
}

function partsOf({ username, name, email }: PasswordOwner): string[] {
  const [local = ''] = email.split('@', 1)
  const parts = [username, name, name.replaceAll(/\s+/g, ''), ...name.split(/\s+/), local, email, PRODUCT]
  return parts
    .map((part) => part.normalize('NFKC').trim().toLowerCase())
    .filter((part) => part.length >= SHORTEST_PART)
}
