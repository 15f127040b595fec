import type { Ctx } from '../../../ctx.ts'
import { strategiesOf, type Strategy } from '../strategies/store.ts'
import { legacyScopesOf, type FeatureFlagRow, type LegacyScopeRow } from './store.ts'

/** A flag with everything that belongs to it. */
export interface FlagView {
  readonly id: number
  readonly row: FeatureFlagRow
  readonly strategies: readonly Strategy[]
  /** Of a legacy flag only. */
  readonly scopes: readonly LegacyScopeRow[]
}

/** Some flags with what belongs to them, in their order. */
export function viewsOf({ db }: Pick<Ctx, 'db'>, rows: readonly FeatureFlagRow[]): FlagView[] {
  const strategies = strategiesOf(
    db,
    rows.map((row) => row.id),
  )
  const legacy = rows.filter((row) => row.version === 'legacy_flag').map((row) => row.id)
  const scopes = Map.groupBy(
    legacy.length > 0 ? legacyScopesOf(db, legacy) : [],
    (row) => row.feature_flag_id,
  )
  return rows.map((row) => ({
    id: row.id,
    row,
    strategies: strategies.get(row.id)!,
    scopes: scopes.get(row.id) ?? [],
  }))
}
