import { z } from 'zod'

import { endpoint } from '../../http/endpoint.ts'
import { entity } from '../../http/entity.ts'
import { ok } from '../../http/returns.ts'
import { project } from '../projects/index.ts'
import { settingsOf } from '../settings/index.ts'
import { abilities, mayMirror } from './policy.ts'

/** Whether the caller may manage the mirrors of a project, and whether mirrors are paused. */
const MirrorAccess = entity(
  'MirrorAccess',
  {
    /** False when only administrators may set up mirrors. */
    may_manage: z.boolean(),
    /** Whether silent mode pauses all mirrors. */
    is_silent: z.boolean(),
  },
  (row: { may_manage: boolean; is_silent: boolean }) => row,
)

export const access = endpoint('GET /-/projects/:id/mirrors/access', {
  summary: 'Get whether the caller may manage the mirrors of a project',
  scope: project,
  can: abilities.read_pull_mirror,
  returns: ok(MirrorAccess),
  run: (ctx) => ({ may_manage: mayMirror(ctx), is_silent: settingsOf(ctx).silent_mode_enabled }),
})
