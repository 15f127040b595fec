import { z } from 'zod'
import { event } from '../../events/event.ts'

const token = {
  /** The owner of the token: either a project or a group. */
  project_id: z.number().optional(),
  group_id: z.number().optional(),
  token_id: z.number(),
  /** The bot of the token. */
  bot_id: z.number(),
  actor_id: z.number().nullable(),
}

/** An access token of a project or group was created. */
export const AccessTokenCreated = event('access_token.created', { ...token, access_level: z.number() })

/** An access token of a project or group was revoked. */
export const AccessTokenRemoved = event('access_token.removed', token)

/** A null `group_id` means the instance. */
const scimOwner = { group_id: z.number().nullable(), actor_id: z.number().nullable() }

/** The SCIM token of a group or of the instance was created, replaced or deleted. */
export const ScimTokenChanged = event('scim.token_changed', {
  ...scimOwner,
  action: z.enum(['created', 'reset', 'revoked']),
})

/** An identity provider created, changed, deactivated, reactivated or removed a user. */
export const ScimIdentityChanged = event('scim.identity_changed', {
  ...scimOwner,
  user_id: z.number(),
  extern_uid: z.string(),
  action: z.enum(['provisioned', 'updated', 'deactivated', 'reactivated', 'removed']),
})
