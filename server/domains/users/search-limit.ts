import type { Ctx } from '../../ctx.ts'
import type { Limit } from '../../http/limit.ts'
import { settingsOf } from '../settings/index.ts'

/** Searches a minute, of one user or of one address that nobody signed in from (spec administration 1.2). */
export const searching: Limit = {
  max: 30,
  per: 60,
  together: 'search',
  by: ({ params }) => (params['search'] ? '' : undefined),
  maxOf: (ctx: Ctx) => {
    const { search_rate_limit, search_rate_limit_unauthenticated } = settingsOf(ctx)
    return ctx.actor.kind === 'anonymous' ? search_rate_limit_unauthenticated : search_rate_limit
  },
}
