import type { Ctx } from '../../../ctx.ts'
import { REGISTERED_RUNNER_TOKEN_PREFIX, RUNNER_TOKEN_PREFIX } from '../../../lib/aliases.ts'
import { tokenDigest } from '../../../lib/security/crypto.ts'

const LETTERS = 20

/** The first characters of a token are shown to distinguish runners. */
const SHORT = 8

/** Whether a user created a runner, or it registered itself. The prefix of its token shows it (spec ci 1.2). */
export type Origin = 'made' | 'registered'

/** A new authentication token with the columns that are stored of it. */
export function newToken({ random }: Pick<Ctx, 'random'>, origin: Origin) {
  const letters = random.token(LETTERS)
  const token = (origin === 'made' ? RUNNER_TOKEN_PREFIX : REGISTERED_RUNNER_TOKEN_PREFIX) + letters
  return { token, columns: { token_digest: tokenDigest(token), short_token: letters.slice(0, SHORT) } }
}
