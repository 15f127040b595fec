import type { Ctx } from '../../../ctx.ts'
import { TRIGGER_TOKEN_PREFIX } from '../../../lib/aliases.ts'
import { tokenDigest } from '../../../lib/security/crypto.ts'
import type { TriggerRow } from './store.ts'

const PURPOSE = 'ci_triggers.token'
/** Characters behind the prefix that users other than the owner see. */
const SHOWN = 4

/** A new token as it is stored: sealed, for its owner may read it again, and as the digest that finds it. */
export function newToken(ctx: Pick<Ctx, 'random' | 'secrets'>): Pick<TriggerRow, 'token' | 'token_digest'> {
  const token = TRIGGER_TOKEN_PREFIX + ctx.random.token(40)
  return { token: ctx.secrets.seal(token, PURPOSE), token_digest: tokenDigest(token) }
}

/** As much of a token as the actor may see: the owner sees all of it, because it acts in the owner's name. */
export function shownToken(
  ctx: Pick<Ctx, 'actor' | 'secrets'>,
  { token, owner_id }: Pick<TriggerRow, 'token' | 'owner_id'>,
): string {
  const whole = ctx.secrets.open(token, PURPOSE).toString()
  if (owner_id !== null && owner_id === ctx.actor.id) return whole
  const start = whole.startsWith(TRIGGER_TOKEN_PREFIX) ? TRIGGER_TOKEN_PREFIX.length : 0
  return whole.slice(start, start + SHOWN)
}
