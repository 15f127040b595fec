import type { Ctx } from '../../../ctx.ts'
import { REGISTERED_RUNNER_TOKEN_PREFIX, RUNNER_TOKEN_PREFIX } from '../../../lib/aliases.ts'
import { tokenDigest } from '../../../lib/security/crypto.ts'

const LETTERS = 20

/** The beginning of a token is shown, so that people can distinguish runners. */
const SHORT = 8

/** Whether people made a runner, or it registered by itself; its token says so (spec ci 1.2). */
export type Origin = 'made' | 'registered'

/** A new authentication token with the columns that are stored of it. */
export function newToken({ random }: Pick<Ctx, 'random'>, origin: Origin) {
  const letters = random.token(LETTERS)
  const token = (origin === 'made' ? RUNNER_TOKEN_PREFIX : REGISTERED_RUNNER_TOKEN_PREFIX) + letters
  return { token, columns: { token_digest: tokenDigest(token), short_token: letters.slice(0, SHORT) } }
}
