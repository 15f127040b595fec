import { z } from 'zod'

import { entity, time } from '../../http/entity.ts'
import { UserBasic } from '../users/entity.ts'
import {
  mergeRequestFields,
  mergeRequestView,
  simpleFields,
  simpleView,
  singleFields,
  singleView,
} from './fields.ts'
import type { MergeRequestView, ReviewerView } from './view-row.ts'

/** A merge request in few words (spec core 5.1, `view=simple`). */
export const MergeRequestSimple = entity(
  'MergeRequestSimple',
  simpleFields,
  (view: Pick<MergeRequestView, 'request' | 'path'>, at) => simpleView(view, at),
)

/** A merge request as lists show it. */
export const MergeRequestBasic = entity('MergeRequestBasic', mergeRequestFields, mergeRequestView)

/** One merge request (spec core 5.1, "MR single"). */
export const MergeRequest = entity('MergeRequest', singleFields, singleView)

/** Somebody who is asked to review (spec core 5.2). */
export const Reviewer = entity(
  'MergeRequestReviewer',
  { user: UserBasic.schema, state: z.enum(['unreviewed', 'reviewed']), created_at: time() },
  (row: ReviewerView, at) => ({
    user: UserBasic.present(row.user, at),
    state: row.state as 'unreviewed' | 'reviewed',
    created_at: row.created_at,
  }),
)
