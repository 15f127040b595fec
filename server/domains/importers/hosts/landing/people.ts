import { tx } from '../../../../db/database.ts'
import { ensureGhost } from '../../../accounts/index.ts'
import { isVerifiedEmail, userIdOfEmail } from '../../../users/index.ts'
import { userOfIdentity } from './store.ts'
import { textOf, type ImportTarget } from './target.ts'
import type { Person, OptionalPerson } from './types.ts'

/** The user of this instance for a person of the other host. */
export interface Account {
  readonly id: number
  /** Whether the account was found for the person. Otherwise it is that of the importing user. */
  readonly isMatched: boolean
}

/**
 * The account of a person (spec administration 6.9): by identity, then by a confirmed email address. A deleted
 * person becomes the ghost user, and all other people become the importing user.
 */
export function accountOf(target: ImportTarget, person: OptionalPerson): Account {
  const { ctx } = target
  if (person === null) return { id: tx(ctx.db, () => ensureGhost(ctx)), isMatched: true }
  const id = byIdentity(target, person) ?? byEmail(target, person)
  return id === undefined ? { id: target.importerId, isMatched: false } : { id, isMatched: true }
}

function byIdentity({ ctx, identity_provider }: ImportTarget, { uid }: Person): number | undefined {
  return identity_provider && uid ? userOfIdentity(ctx.db, identity_provider, uid) : undefined
}

function byEmail({ ctx }: ImportTarget, { email }: Person): number | undefined {
  if (!email) return undefined
  const id = userIdOfEmail(ctx, email)
  return id !== undefined && isVerifiedEmail(ctx.db, id, email) ? id : undefined
}

/** A text of an author. If the author has no account here, a first line with their name is added. */
export function signedText(
  { authorLine }: ImportTarget,
  { isMatched }: Account,
  person: OptionalPerson,
  text: string | null | undefined,
): string {
  const cleanText = textOf(text)
  if (isMatched || person === null) return cleanText
  const firstLine = authorLine?.(person) ?? `*Created by: ${person.login}*`
  return cleanText === '' ? firstLine : `${firstLine}\n\n${cleanText}`
}

/** The user IDs of the people with an account here, without duplicates. */
export function matchedUserIds(target: ImportTarget, people: readonly OptionalPerson[] = []): number[] {
  const accounts = people.filter((person) => person !== null).map((person) => accountOf(target, person))
  return [...new Set(accounts.filter((account) => account.isMatched).map((account) => account.id))]
}
