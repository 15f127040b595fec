import { z } from 'zod'

import { event } from '../../events/event.ts'

const application = { application_id: z.number(), actor_id: z.number().nullable() }

/** An OAuth application was registered. */
export const ApplicationCreated = event('oauth_application.created', application)
/** An OAuth application was updated, or its secret was renewed. */
export const ApplicationUpdated = event('oauth_application.updated', {
  ...application,
  changed: z.array(z.string()),
})
/** An OAuth application was deleted with all its tokens. */
export const ApplicationRemoved = event('oauth_application.removed', application)
/** A user authorized an application. */
export const ApplicationAuthorized = event('oauth_application.authorized', {
  application_id: z.number(),
  user_id: z.number(),
  scopes: z.array(z.string()),
})
/** A user revoked the authorization of an application. */
export const ApplicationDeauthorized = event('oauth_application.deauthorized', {
  application_id: z.number().nullable(),
  user_id: z.number(),
})

const token = { token_id: z.number(), user_id: z.number(), actor_id: z.number().nullable() }

/** A personal access token was created. */
export const TokenCreated = event('personal_access_token.created', token)
/** A personal access token was revoked. */
export const TokenRevoked = event('personal_access_token.revoked', token)
/** A personal access token was revoked and replaced by a new one. */
export const TokenRotated = event('personal_access_token.rotated', { ...token, previous_id: z.number() })
/** A user signed in to the window. `is_known` is true if they recently signed in from the same address. */
export const SignedIn = event('session.created', {
  user_id: z.number(),
  session_id: z.number(),
  ip: z.string(),
  at: z.string(),
  is_known: z.boolean(),
})
/** A blocked user entered the right password. `state` is the state of the account. */
export const SignInRefused = event('session.refused', { user_id: z.number(), state: z.string() })
/**
 * A user entered a wrong password. After several failures the account is locked for a while, and further failures are
 * not published.
 */
export const SignInFailed = event('session.failed', { user_id: z.number(), failures: z.number() })
