import { z } from 'zod'

import { entity, time, row } from '../../../http/entity.ts'
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
  row<AwardView>(),
  (award, at) => ({
    user: UserBasic.present(award.user, at),
    url: null,
  }),
)
