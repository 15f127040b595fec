import type { Ctx } from '../../../ctx.ts'
import { tokenDigest } from '../../../lib/security/crypto.ts'
import { fail } from '../../../lib/fail.ts'
import { confirmationUrl, type HandedLink } from '../../auth/index.ts'
import { getEmail, setEmailConfirmation } from '../../users/index.ts'

/** Makes the link with which a user confirms a secondary address. Throws 409 when it is confirmed already. */
export function makeEmailConfirmation(ctx: Ctx, userId: number, emailId: number): HandedLink {
  const email = getEmail(ctx, userId, emailId)
  if (email.confirmed_at !== null) throw fail('conflict', 'The e-mail address is confirmed already.')
  const token = ctx.random.token(32)
  setEmailConfirmation(ctx.db, email.id, tokenDigest(token))
  return { token, url: confirmationUrl(ctx, token), expires_at: null }
}
