import { z } from 'zod'

import { event } from '../../events/event.ts'

const token = {
  /** Exactly one of the two: the owner of the token. */
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
