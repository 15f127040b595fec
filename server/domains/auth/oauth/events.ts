import { z } from 'zod'

import { event } from '../../../events/event.ts'

const application = { application_id: z.number(), actor_id: z.number().nullable() }

/** An OAuth application was registered. */
export const ApplicationCreated = event('oauth_application.created', application)
/** An OAuth application was changed, or got a new secret. */
export const ApplicationUpdated = event('oauth_application.updated', {
  ...application,
  changed: z.array(z.string()),
})
/** An OAuth application was removed with every token it had. */
export const ApplicationRemoved = event('oauth_application.removed', application)
/** A user let an application act in their name. */
export const ApplicationAuthorized = event('oauth_application.authorized', {
  application_id: z.number(),
  user_id: z.number(),
  scopes: z.array(z.string()),
})
/** A user took that back. */
export const ApplicationDeauthorized = event('oauth_application.deauthorized', {
  application_id: z.number().nullable(),
  user_id: z.number(),
})
