import { tx } from '../../../../db/database.ts'
import { ensureGhost } from '../../../accounts/index.ts'
import { isVerifiedEmail, userIdOfEmail } from '../../../users/index.ts'
import { userOfIdentity } from './store.ts'
import { textOf, type ImportTarget } from './target.ts'
import type { Person, OptionalPerson } from './types.ts'

/** The user here who represents a person of the other host. */
export interface Account {
  readonly id: number
  /** False when the account is that of the importing user. */
  readonly known: boolean
}

/**
 * The account of a person (spec administration 6.9): by identity, then by a confirmed address. A deleted person becomes the
 * ghost user; all others become the importing user.
 */
export function accountOf(target: ImportTarget, person: OptionalPerson): Account {
  const { ctx } = target
  if (person === null) return { id: tx(ctx.db, () => ensureGhost(ctx)), known: true }
  const id = byIdentity(target, person) ?? byEmail(target, person)
  return id === undefined ? { id: target.importerId, known: false } : { id, known: true }
}

function byIdentity({ ctx, identity_provider }: ImportTarget, { uid }: Person): number | undefined {
  return identity_provider && uid ? userOfIdentity(ctx.db, identity_provider, uid) : undefined
}

function byEmail({ ctx }: ImportTarget, { email }: Person): number | undefined {
  if (!email) return undefined
  const id = userIdOfEmail(ctx, email)
  return id !== undefined && isVerifiedEmail(ctx.db, id, email) ? id : undefined
}

/** A text of an author; its first line names an author without an account here. */
export function signedText(
  { byLine }: ImportTarget,
  { known }: Account,
  person: OptionalPerson,
  text: string | null | undefined,
): string {
  const clean = textOf(text)
  if (known || person === null) return clean
  const line = byLine?.(person) ?? `*Created by: ${person.login}*`
  return clean === '' ? line : `${line}\n\n${clean}`
}

/** Ids of the people with an account here, each once. */
export function existingAmong(target: ImportTarget, people: readonly OptionalPerson[] = []): number[] {
  const accounts = people.filter((person) => person !== null).map((person) => accountOf(target, person))
  return [...new Set(accounts.filter((account) => account.known).map((account) => account.id))]
}
