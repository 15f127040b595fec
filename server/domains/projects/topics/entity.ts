import { z } from 'zod'

import { entity, row } from '../../../http/entity.ts'
import type { TopicRow } from './store.ts'

/** A topic of the instance (spec core 3). */
export const Topic = entity(
  'Topic',
  {
    id: z.int(),
    name: z.string(),
    title: z.string(),
    description: z.string().nullable(),
    total_projects_count: z.int(),
    avatar_url: z.string().nullable(),
  },
  row<TopicRow>(),
  (topic, at) => ({
    avatar_url: topic.avatar
      ? `${at.url}/uploads/-/system/topic/avatar/${topic.id}/${encodeURIComponent(topic.avatar)}`
      : null,
  }),
)
