import { tx } from '../../../../db/database.ts'
import { ghostOf } from '../../../accounts/index.ts'
import { isVerifiedEmail, userIdOfEmail } from '../../../users/index.ts'
import type { ImportTarget } from './target.ts'
import type { Person, Somebody } from './inputs.ts'
import { textOf } from './texts.ts'

/** Somebody of the other host, as an account here. */
export interface Account {
  readonly id: number
  /** False where whoever imports stands in. */
  readonly known: boolean
}

/** Who somebody is here (spec administration 6.9): by identity, then by a confirmed address; whoever was deleted is the ghost. */
export function accountOf(target: ImportTarget, person: Somebody): Account {
  const { ctx } = target
  if (person === null) return { id: tx(ctx.db, () => ghostOf(ctx)), known: true }
  const id = byIdentity(target, person) ?? byEmail(target, person)
  return id === undefined ? { id: target.importerId, known: false } : { id, known: true }
}

function byIdentity({ ctx, identity_provider }: ImportTarget, { uid }: Person): number | undefined {
  if (!identity_provider || !uid) return undefined
  const sql = 'SELECT user_id FROM identities WHERE provider = ? AND extern_uid = ?'
  return ctx.db.one<{ user_id: number }>(sql, identity_provider, uid)?.user_id
}

function byEmail({ ctx }: ImportTarget, { email }: Person): number | undefined {
  if (!email) return undefined
  const id = userIdOfEmail(ctx, email)
  return id !== undefined && isVerifiedEmail(ctx.db, id, email) ? id : undefined
}

/** A text in the name of an account: who is nobody here is named in its first line. */
export function signedText(
  { byLine }: ImportTarget,
  { known }: Account,
  person: Somebody,
  text: string | null | undefined,
): string {
  const clean = textOf(text)
  if (known || person === null) return clean
  const line = byLine?.(person) ?? `*Created by: ${person.login}*`
  return clean === '' ? line : `${line}\n\n${clean}`
}

/** Ids of those who are known here, each once. */
export function knownAmong(target: ImportTarget, people: readonly Somebody[] = []): number[] {
  const accounts = people.filter((one) => one !== null).map((one) => accountOf(target, one))
  return [...new Set(accounts.filter((one) => one.known).map((one) => one.id))]
}
