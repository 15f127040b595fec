import type { Selectable } from 'kysely'

import { jsonList, type Database } from '../../../db/database.ts'
import type { FeatureFlagScopesTable, FeatureFlagStrategiesTable } from '../../../db/schema.gen.ts'
import { byIds, type UserListRow } from '../user_lists/store.ts'
import type { StrategyName } from './validation.ts'

export type StrategyRow = Selectable<FeatureFlagStrategiesTable>
/** An environment, or a pattern of environments, that a strategy applies to. */
export type ScopeRow = Selectable<FeatureFlagScopesTable>

/** A strategy of a flag with its scopes. */
export interface Strategy {
  readonly id: number
  readonly name: StrategyName
  readonly parameters: Readonly<Record<string, string>>
  readonly scopes: readonly Pick<ScopeRow, 'id' | 'environment_scope'>[]
  readonly list: UserListRow | null
}

/** The wanted state of a strategy: without an id it is new, and so is a scope. */
export interface WantedStrategy {
  readonly id: number | undefined
  readonly name: string
  readonly parameters: unknown
  readonly scopes: readonly { readonly id: number | undefined; readonly environment_scope: string }[]
  readonly user_list_id: number | null
}

/** The strategies of some flags by flag, oldest first. */
export function strategiesOf(db: Database, flagIds: readonly number[]): Map<number, Strategy[]> {
  const rows = db.many<StrategyRow>(
    `SELECT * FROM feature_flag_strategies
     WHERE feature_flag_id IN (SELECT value FROM json_each(?)) ORDER BY id`,
    jsonList(flagIds),
  )
  const scopes = scopesOf(db, rows)
  const lists = byIds(
    db,
    rows.flatMap((row) => row.user_list_id ?? []),
  )
  const found = new Map<number, Strategy[]>(flagIds.map((id) => [id, []]))
  for (const row of rows) {
    found.get(row.feature_flag_id)!.push({
      id: row.id,
      name: row.name,
      parameters: JSON.parse(row.parameters) as Record<string, string>,
      scopes: scopes.get(row.id) ?? [],
      list: (row.user_list_id !== null && lists.get(row.user_list_id)) || null,
    })
  }
  return found
}

function scopesOf(db: Database, strategies: readonly StrategyRow[]): Map<number, ScopeRow[]> {
  const rows = db.many<ScopeRow>(
    'SELECT * FROM feature_flag_scopes WHERE strategy_id IN (SELECT value FROM json_each(?)) ORDER BY id',
    jsonList(strategies.map((row) => row.id)),
  )
  return Map.groupBy(rows, (row) => row.strategy_id)
}

/** Writes the strategies of a flag: deletes missing ones, changes those with an id, adds the others. */
export function replace(db: Database, flagId: number, wanted: readonly WantedStrategy[]): void {
  const kept = jsonList(wanted.flatMap((one) => one.id ?? []))
  const unwanted = 'feature_flag_id = ? AND id NOT IN (SELECT value FROM json_each(?))'
  db.exec(`DELETE FROM feature_flag_strategies WHERE ${unwanted}`, flagId, kept)
  for (const one of wanted) {
    const id = write(db, flagId, one)
    // Scopes may swap names, so all are deleted first.
    db.exec('DELETE FROM feature_flag_scopes WHERE strategy_id = ?', id)
    for (const scope of one.scopes) {
      const sql = 'INSERT INTO feature_flag_scopes (id, strategy_id, environment_scope) VALUES (?, ?, ?)'
      db.exec(sql, scope.id, id, scope.environment_scope)
    }
  }
}

function write(db: Database, flagId: number, one: WantedStrategy): number {
  const values = [one.name, JSON.stringify(one.parameters), one.user_list_id]
  if (one.id !== undefined) {
    const sql = 'UPDATE feature_flag_strategies SET name = ?, parameters = ?, user_list_id = ? WHERE id = ?'
    db.exec(sql, ...values, one.id)
    return one.id
  }
  const columns = 'feature_flag_id, name, parameters, user_list_id'
  return db.exec(`INSERT INTO feature_flag_strategies (${columns}) VALUES (?, ?, ?, ?)`, flagId, ...values).id
}
