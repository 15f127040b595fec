import { z } from 'zod'

import { event } from '../../events/event.ts'

const token = {
  /** Exactly one of the two: what the token belongs to. */
  project_id: z.number().optional(),
  group_id: z.number().optional(),
  token_id: z.number(),
  /** The bot that stands for it. */
  bot_id: z.number(),
  actor_id: z.number().nullable(),
}

/** A project or group has a further access token. */
export const AccessTokenCreated = event('access_token.created', { ...token, access_level: z.number() })

/** An access token of a project or group and its bot are gone. */
export const AccessTokenRemoved = event('access_token.removed', token)
