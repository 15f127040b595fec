import type { Ctx } from '../../../ctx.ts'
import type { GivenLegacyScope } from './rules.ts'
import { insertLegacyScope, type FeatureFlagRow } from './store.ts'

const EVERYBODY = [{ name: 'default', parameters: {} }]

/** Gives a new legacy flag its scopes; without any it is for everybody everywhere, as it is on or off itself. */
export function addLegacyScopes(ctx: Ctx, flag: FeatureFlagRow, given: readonly GivenLegacyScope[]): void {
  const scopes = given.length > 0 ? given : [{ environment_scope: '*', active: flag.active === 1 }]
  for (const { environment_scope, active, ...scope } of scopes) {
    const strategies = ('strategies' in scope ? scope.strategies : undefined) ?? EVERYBODY
    insertLegacyScope(ctx.db, {
      feature_flag_id: flag.id,
      environment_scope,
      active: Number(active),
      strategies: JSON.stringify((strategies as object[]).map(plain)),
      created_at: ctx.now,
      updated_at: ctx.now,
    })
  }
}

/** Name and parameters only, whatever else was sent. */
function plain(strategy: { readonly name?: unknown; readonly parameters?: unknown }) {
  return { name: strategy.name, parameters: strategy.parameters ?? {} }
}
