import { entity, time } from '../../../http/entity.ts'
import { UserBasic } from '../../users/entity.ts'
import type { RequestRow } from './store.ts'

/** Somebody who asks for access (spec core 1.4). */
export const AccessRequester = entity(
  'AccessRequester',
  { ...UserBasic.fields, requested_at: time() },
  (row: RequestRow, at) => ({ ...UserBasic.present(row, at), requested_at: row.requested_at }),
)
