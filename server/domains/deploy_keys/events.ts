import { z } from 'zod'

import { event } from '../../events/event.ts'

const key = { project_id: z.number(), key_id: z.number(), actor_id: z.number().nullable() }

/** A deploy key, new or of another project, may read a project, or write it too. */
export const DeployKeyEnabled = event('deploy_key.enabled', { ...key, can_push: z.boolean() })

/** The title of a deploy key changed, or whether it may write. */
export const DeployKeyUpdated = event('deploy_key.updated', { ...key, can_push: z.boolean() })

/** A deploy key no longer reaches a project. */
export const DeployKeyDisabled = event('deploy_key.disabled', key)

const token = {
  /** Exactly one of the two: the owner of the token. */
  project_id: z.number().optional(),
  group_id: z.number().optional(),
  token_id: z.number(),
  actor_id: z.number().nullable(),
}

/** A project or group has a further deploy token. */
export const DeployTokenCreated = event('deploy_token.created', token)

/** A deploy token is gone. */
export const DeployTokenRemoved = event('deploy_token.removed', token)
