import { z } from 'zod'

import { event } from '../../../events/event.ts'

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
