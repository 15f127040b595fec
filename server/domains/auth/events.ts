import { z } from 'zod'

import { event } from '../../events/event.ts'

const token = { token_id: z.number(), user_id: z.number(), actor_id: z.number().nullable() }

/** A personal access token was made. */
export const TokenCreated = event('personal_access_token.created', token)
/** A personal access token was revoked. */
export const TokenRevoked = event('personal_access_token.revoked', token)
/** A personal access token was revoked, and another like it made in its place. */
export const TokenRotated = event('personal_access_token.rotated', { ...token, previous_id: z.number() })
/** Somebody signed in to the window; `is_known` when they did so from that address lately. */
export const SignedIn = event('session.created', {
  user_id: z.number(),
  session_id: z.number(),
  ip: z.string(),
  at: z.string(),
  is_known: z.boolean(),
})
/** The right password was given for an account that may not act; `state` says why not. */
export const SignInRefused = event('session.refused', { user_id: z.number(), state: z.string() })
/** A wrong password was given for an account; after some of them it is locked for a while, and they count no more. */
export const SignInFailed = event('session.failed', { user_id: z.number(), failures: z.number() })
