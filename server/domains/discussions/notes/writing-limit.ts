import type { Ctx } from '../../../ctx.ts'
import type { Limit } from '../../../http/limit.ts'
import { isListed } from '../../../policy/actor.ts'
import { settingsOf } from '../../settings/index.ts'

/** Notes that one user may write a minute, wherever (spec administration 1.2). */
export const WRITING: Limit = {
  max: 300,
  per: 60,
  together: 'notes',
  maxOf: (ctx: Ctx) => {
    const { notes_create_limit, notes_create_limit_allowlist } = settingsOf(ctx)
    return isListed(ctx.actor, notes_create_limit_allowlist) ? 0 : notes_create_limit
  },
}
