import type { Ctx } from '../../../ctx.ts'
import { tokenDigest } from '../../../lib/security/crypto.ts'
import { fail } from '../../../lib/fail.ts'
import { confirmationUrl, type HandedLink } from '../../auth/index.ts'
import { getEmail, setEmailConfirmation } from '../../users/index.ts'

/** Creates a link that confirms a secondary address. Throws 409 for a confirmed one. */
export function makeEmailConfirmation(ctx: Ctx, userId: number, emailId: number): HandedLink {
  const email = getEmail(ctx, userId, emailId)
  if (email.confirmed_at !== null) throw fail('conflict', 'The email address is confirmed already.')
  const token = ctx.random.token(32)
  setEmailConfirmation(ctx.db, email.id, tokenDigest(token))
  return { token, url: confirmationUrl(ctx, token), expires_at: null }
}
