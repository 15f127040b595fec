import { z } from 'zod'

import { event } from '../../../events/event.ts'

/** Null is the instance. */
const owned = { group_id: z.number().nullable(), actor_id: z.number().nullable() }

/** The SCIM token of a group or of the instance was created, replaced or deleted. */
export const ScimTokenChanged = event('scim.token_changed', {
  ...owned,
  action: z.enum(['created', 'reset', 'revoked']),
})

/** An identity provider created, changed, deactivated, reactivated or removed a user. */
export const ScimIdentityChanged = event('scim.identity_changed', {
  ...owned,
  user_id: z.number(),
  extern_uid: z.string(),
  action: z.enum(['provisioned', 'updated', 'deactivated', 'reactivated', 'removed']),
})
