import { z } from 'zod'

import { event } from '../../../events/event.ts'

const ids = { topic_id: z.number(), actor_id: z.number().nullable() }

/** An administrator created a topic. */
export const TopicCreated = event('topic.created', ids)

/** The name, title, description or avatar of a topic changed. */
export const TopicUpdated = event('topic.updated', ids)

/** A topic was deleted, or merged into another one. */
export const TopicDeleted = event('topic.deleted', { ...ids, merged_into_id: z.number().optional() })
