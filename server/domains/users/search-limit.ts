import type { Ctx } from '../../ctx.ts'
import type { Limit } from '../../http/limit.ts'
import { settingsOf } from '../settings/index.ts'

/** Suggestions of users a minute, likewise: what is typed into a field that names somebody. */
export const suggesting: Limit = {
  max: 300,
  per: 60,
  by: ({ params }) => (params['search'] ? '' : undefined),
  maxOf: (ctx: Ctx) => {
    const { autocomplete_users, autocomplete_users_unauthenticated } = settingsOf(ctx)
    return ctx.actor.kind === 'anonymous' ? autocomplete_users_unauthenticated : autocomplete_users
  },
}

/**
 * Searches a minute, of one user or of one address that nobody signed in from (spec administration 1.2). The window asks
 * with every pause while somebody types; whoever sits before it is not counted.
 */
export const searching: Limit = {
  max: 30,
  per: 60,
  together: 'search',
  by: ({ params }) => (params['search'] ? '' : undefined),
  maxOf: (ctx: Ctx) => {
    if (ctx.actor.kind === 'user' && ctx.actor.via === 'session') return 0
    const { search_rate_limit, search_rate_limit_unauthenticated } = settingsOf(ctx)
    return ctx.actor.kind === 'anonymous' ? search_rate_limit_unauthenticated : search_rate_limit
  },
}
