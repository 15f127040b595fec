import type { Ctx } from '../../../ctx.ts'
import { TRIGGER_TOKEN_PREFIX } from '../../../http/aliases.ts'
import { tokenDigest } from '../../../lib/crypto.ts'
import type { TriggerRow } from './store.ts'

const PURPOSE = 'ci_triggers.token'
/** Characters behind the prefix by which others than the owner tell tokens apart. */
const SHOWN = 4

/** A new token in the forms in which it is stored: sealed, for its owner may read it again, and as what it is found by. */
export function newToken(ctx: Pick<Ctx, 'random' | 'secrets'>): Pick<TriggerRow, 'token' | 'token_digest'> {
  const token = TRIGGER_TOKEN_PREFIX + ctx.random.token(40)
  return { token: ctx.secrets.seal(token, PURPOSE), token_digest: tokenDigest(token) }
}

/** As much of a token as the actor may see: the owner, whose right it stands for, all of it. */
export function shownToken(
  ctx: Pick<Ctx, 'actor' | 'secrets'>,
  { token, owner_id }: Pick<TriggerRow, 'token' | 'owner_id'>,
): string {
  const whole = ctx.secrets.open(token, PURPOSE).toString()
  if (owner_id !== null && owner_id === ctx.actor.id) return whole
  const start = whole.startsWith(TRIGGER_TOKEN_PREFIX) ? TRIGGER_TOKEN_PREFIX.length : 0
  return whole.slice(start, start + SHOWN)
}
