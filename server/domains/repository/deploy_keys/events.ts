import { z } from 'zod'

import { event } from '../../../events/event.ts'

const key = { project_id: z.number(), key_id: z.number(), actor_id: z.number().nullable() }

/** A deploy key got read or write access to a project. */
export const DeployKeyEnabled = event('deploy_key.enabled', { ...key, can_push: z.boolean() })

/** The title of a deploy key or its write access changed. */
export const DeployKeyUpdated = event('deploy_key.updated', { ...key, can_push: z.boolean() })

/** A deploy key lost its access to a project. */
export const DeployKeyDisabled = event('deploy_key.disabled', key)

const token = {
  /** Exactly one of the two: the owner of the token. */
  project_id: z.number().optional(),
  group_id: z.number().optional(),
  token_id: z.number(),
  actor_id: z.number().nullable(),
}

/** A deploy token was created. */
export const DeployTokenCreated = event('deploy_token.created', token)

/** A deploy token was revoked. */
export const DeployTokenRemoved = event('deploy_token.removed', token)
