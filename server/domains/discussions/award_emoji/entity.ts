import { z } from 'zod'

import { entity, time } from '../../../http/entity.ts'
import { UserBasic } from '../../users/entity.ts'
import type { AwardView } from './service.ts'

/** An award emoji (spec core 6.5). `url` is for custom emoji, which this instance does not have. */
export const AwardEmoji = entity(
  'AwardEmoji',
  {
    id: z.int(),
    name: z.string(),
    user: UserBasic.schema,
    created_at: time(),
    updated_at: time(),
    awardable_id: z.int(),
    awardable_type: z.enum(['Issue', 'MergeRequest', 'Snippet', 'Note']),
    url: z.null(),
  },
  (award: AwardView, at) => ({
    id: award.id,
    name: award.name,
    user: UserBasic.present(award.user, at),
    created_at: award.created_at,
    updated_at: award.updated_at,
    awardable_id: award.awardable_id,
    awardable_type: award.awardable_type as 'Issue',
    url: null,
  }),
)
