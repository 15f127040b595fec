import { z } from 'zod'

import { entity } from '../../http/entity.ts'

/** Whether the caller may manage the mirrors of a project, and whether mirrors are paused. */
export const MirrorAccess = entity(
  'MirrorAccess',
  {
    /** False when only administrators may set up mirrors. */
    may_manage: z.boolean(),
    /** Whether silent mode pauses all mirrors. */
    is_silent: z.boolean(),
  },
  (row: { may_manage: boolean; is_silent: boolean }) => row,
)
