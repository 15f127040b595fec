import { z } from 'zod'

import { entity } from '../../http/entity.ts'

/** What the caller may do about the mirrors of a project, and what keeps them all from being updated. */
export const MirrorAccess = entity(
  'MirrorAccess',
  {
    /** Otherwise mirrors are set up by administrators only. */
    may_manage: z.boolean(),
    /** Nothing is sent or fetched by itself at the moment. */
    is_silent: z.boolean(),
  },
  (row: { may_manage: boolean; is_silent: boolean }) => row,
)
