import { z } from 'zod'

import { event } from '../../../events/event.ts'

const ids = { topic_id: z.number(), actor_id: z.number().nullable() }

/** An administrator made a topic. */
export const TopicCreated = event('topic.created', ids)

/** A topic got another name, title, description or picture. */
export const TopicUpdated = event('topic.updated', ids)

/** A topic is gone, by hand or because it became part of another one. */
export const TopicDeleted = event('topic.deleted', { ...ids, merged_into_id: z.number().optional() })
