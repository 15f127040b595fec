import { endpoint } from '../../http/endpoint.ts'
import { ok } from '../../http/returns.ts'
import { project } from '../projects/index.ts'
import { settingsOf } from '../settings/index.ts'
import { MirrorAccess } from './entity.ts'
import { abilities, mayMirror } from './policy.ts'

export const access = endpoint('GET /-/projects/:id/mirrors/access', {
  summary: 'Get whether the caller may manage the mirrors of a project',
  scope: project,
  can: abilities.read_pull_mirror,
  returns: ok(MirrorAccess),
  run: (ctx) => ({ may_manage: mayMirror(ctx), is_silent: settingsOf(ctx).silent_mode_enabled }),
})
