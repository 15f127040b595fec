import type { Ctx } from '../../../../ctx.ts'
import { userById } from '../../../users/index.ts'
import { byIds } from '../applications/store.ts'
import type { Issued } from '../tokens/model.ts'
import { sharedClaims } from './claims.ts'
import { signToken } from './sign.ts'

/** Seconds that an id token holds: it is looked at once, at signing in. */
const ID_TOKEN_SECONDS = 600

/** The signed id token that goes with a pair of tokens; undefined where `openid` was not asked for, or by no client. */
export async function idTokenFor(ctx: Ctx, { row, grant }: Issued): Promise<string | undefined> {
  const scopes = new Set(JSON.parse(row.scopes) as string[])
  const { user_id, application_id } = row
  if (!scopes.has('openid') || user_id === null || application_id === null) return undefined
  const user = userById(ctx.db, user_id)
  const application = byIds(ctx.db, [application_id]).get(application_id)
  if (!user || !application) return undefined
  const signedIn = Math.floor(Date.parse(user.current_sign_in_at ?? row.created_at) / 1000)
  const nonce = grant?.nonce ? { nonce: grant.nonce } : {}
  const claims = { ...sharedClaims(user, scopes), ...nonce, auth_time: signedIn }
  const signing = { subject: String(user.id), audience: application.uid, seconds: ID_TOKEN_SECONDS }
  return signToken(ctx, claims, signing)
}
