import { z } from 'zod'

import { event } from '../../events/event.ts'

/** Null is the instance. */
const owned = { group_id: z.number().nullable(), actor_id: z.number().nullable() }

/** The SCIM token of a group or of the instance was made, made anew or taken away. */
export const ScimTokenChanged = event('scim.token_changed', {
  ...owned,
  action: z.enum(['created', 'reset', 'revoked']),
})

/** An identity provider made, changed, switched off or on, or removed a user here. */
export const ScimIdentityChanged = event('scim.identity_changed', {
  ...owned,
  user_id: z.number(),
  extern_uid: z.string(),
  action: z.enum(['provisioned', 'updated', 'deactivated', 'reactivated', 'removed']),
})
