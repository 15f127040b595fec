import { z } from 'zod'

import { date, entity, time } from '../../../http/entity.ts'
import type { InvitationRow } from './store.ts'

/** An invitation that nobody has accepted yet (spec core 1.4). */
export const Invitation = entity(
  'Invitation',
  {
    access_level: z.int(),
    created_at: time(),
    expires_at: date().nullable(),
    invite_email: z.string(),
    invite_token: z.string(),
    user_name: z.string().nullable(),
    created_by_name: z.string().nullable(),
  },
  (row: InvitationRow) => ({
    access_level: row.access_level,
    created_at: row.created_at,
    expires_at: row.expires_at,
    invite_email: row.email,
    invite_token: row.token,
    // An invitation ends when somebody accepts it, so it belongs to no user.
    user_name: null,
    created_by_name: row.created_by_name,
  }),
)
