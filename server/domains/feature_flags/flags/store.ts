import type { Insertable, Selectable, Updateable } from 'kysely'

import { jsonList, q, type Database } from '../../../db/database.ts'
import { boundedCount } from '../../../db/lists.ts'
import type { Rows } from '../../../db/rows.ts'
import type {
  FeatureFlagLegacyScopesTable,
  FeatureFlagsTable,
  FeatureFlagScopesTable,
  FeatureFlagStrategiesTable,
} from '../../../db/schema.gen.ts'
import { table } from '../../../db/table.ts'
import type { Ctx } from '../../../ctx.ts'
import type { StrategyName } from '../strategies/validation.ts'
import { byIds, type UserListRow } from '../user_lists/store.ts'
import type { FlagView } from './entity.ts'

/** A feature flag as stored. */
export type FeatureFlagRow = Selectable<FeatureFlagsTable>

export type FeatureFlagColumns = Updateable<FeatureFlagsTable>

/** A scope of a legacy flag: whether it is on in some environments, and with which strategies. */
export type LegacyScopeRow = Selectable<FeatureFlagLegacyScopesTable>

/** The filters of a list of flags. */
export interface FlagFilter {
  readonly project_id: number
  readonly active?: boolean | undefined
}

function flagsQuery({ project_id, active }: FlagFilter) {
  const query = q.selectFrom('feature_flags').where('project_id', '=', project_id)
  return active === undefined ? query : query.where('active', '=', active)
}

/** Returns one page of the flags of a project, sorted by name. */
export function list(
  db: Database,
  filter: FlagFilter,
  paging: { readonly limit: number; readonly offset: number },
): Rows<FeatureFlagRow> {
  const query = flagsQuery(filter)
  const rows = db.all(query.selectAll().orderBy('name').limit(paging.limit).offset(paging.offset))
  return { rows, total: boundedCount(db, query.select('id')) }
}

/** Returns all flags of a project, oldest first. Their number is limited. */
export function ofProject(db: Database, projectId: number): FeatureFlagRow[] {
  return db.all(flagsQuery({ project_id: projectId }).selectAll().orderBy('id'))
}

/** Returns a flag by its ID. Undefined if it is deleted. */
export function featureFlagById(db: Database, id: number): FeatureFlagRow | undefined {
  return db.get(q.selectFrom('feature_flags').selectAll().where('id', '=', id))
}

export function byName(db: Database, projectId: number, name: string): FeatureFlagRow | undefined {
  return db.get(flagsQuery({ project_id: projectId }).selectAll().where('name', '=', name))
}

/** Counts the flags of a project. */
export function count(db: Database, projectId: number): number {
  const query = flagsQuery({ project_id: projectId })
  return db.get(query.select((eb) => eb.fn.countAll<number>().as('count')))!.count
}

/** Inserts a flag with the next IID of its project. */
export function insert(db: Database, row: Omit<Insertable<FeatureFlagsTable>, 'iid'>): FeatureFlagRow {
  const newest = flagsQuery({ project_id: row.project_id }).select((eb) => eb.fn.max('iid').as('iid'))
  const iid = (db.get(newest)?.iid ?? 0) + 1
  return db.get(
    q
      .insertInto('feature_flags')
      .values({ ...row, iid })
      .returningAll(),
  )!
}

export const { update, remove } = table('feature_flags')

/** Returns the scopes of legacy flags, oldest first. */
export function legacyScopesOf(db: Database, flagIds: readonly number[]): LegacyScopeRow[] {
  return db.many<LegacyScopeRow>(
    `SELECT * FROM feature_flag_legacy_scopes
     WHERE feature_flag_id IN (SELECT value FROM json_each(?)) ORDER BY id`,
    jsonList(flagIds),
  )
}

export function insertLegacyScope(db: Database, row: Insertable<FeatureFlagLegacyScopesTable>): void {
  db.run(q.insertInto('feature_flag_legacy_scopes').values(row))
}

/** Loads the strategies and scopes of flags. Keeps their order. */
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

type StrategyRow = Selectable<FeatureFlagStrategiesTable>
/** An environment, or a pattern of environments, that a strategy applies to. */
type ScopeRow = Selectable<FeatureFlagScopesTable>

/** A strategy of a flag with its scopes. */
export interface Strategy {
  readonly id: number
  readonly name: StrategyName
  readonly parameters: Readonly<Record<string, string>>
  readonly scopes: readonly Pick<ScopeRow, 'id' | 'environment_scope'>[]
  readonly list: UserListRow | null
}

/** The state of a strategy after a request. A new strategy and a new scope have no ID yet. */
export interface StrategyState {
  readonly id: number | undefined
  readonly name: string
  readonly parameters: unknown
  readonly scopes: readonly { readonly id: number | undefined; readonly environment_scope: string }[]
  readonly user_list_id: number | null
}

/** Returns the strategies of flags by flag, oldest first. */
function strategiesOf(db: Database, flagIds: readonly number[]): Map<number, Strategy[]> {
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
  const byFlag = new Map<number, Strategy[]>(flagIds.map((id) => [id, []]))
  for (const row of rows) {
    byFlag.get(row.feature_flag_id)!.push({
      id: row.id,
      name: row.name,
      parameters: JSON.parse(row.parameters) as Record<string, string>,
      scopes: scopes.get(row.id) ?? [],
      list: (row.user_list_id !== null && lists.get(row.user_list_id)) || null,
    })
  }
  return byFlag
}

function scopesOf(db: Database, strategies: readonly StrategyRow[]): Map<number, ScopeRow[]> {
  const rows = db.many<ScopeRow>(
    'SELECT * FROM feature_flag_scopes WHERE strategy_id IN (SELECT value FROM json_each(?)) ORDER BY id',
    jsonList(strategies.map((row) => row.id)),
  )
  return Map.groupBy(rows, (row) => row.strategy_id)
}

/** Replaces the strategies of a flag: updates those with an ID, inserts those without, and deletes all others. */
export function replaceStrategies(db: Database, flagId: number, strategies: readonly StrategyState[]): void {
  const ids = jsonList(strategies.flatMap((strategy) => strategy.id ?? []))
  const isMissing = 'feature_flag_id = ? AND id NOT IN (SELECT value FROM json_each(?))'
  db.exec(`DELETE FROM feature_flag_strategies WHERE ${isMissing}`, flagId, ids)
  for (const strategy of strategies) {
    const id = saveStrategy(db, flagId, strategy)
    // Two scopes may swap their names, so all scopes are deleted first.
    db.exec('DELETE FROM feature_flag_scopes WHERE strategy_id = ?', id)
    for (const scope of strategy.scopes) {
      const sql = 'INSERT INTO feature_flag_scopes (id, strategy_id, environment_scope) VALUES (?, ?, ?)'
      db.exec(sql, scope.id, id, scope.environment_scope)
    }
  }
}

function saveStrategy(db: Database, flagId: number, strategy: StrategyState): number {
  const values = [strategy.name, JSON.stringify(strategy.parameters), strategy.user_list_id]
  if (strategy.id !== undefined) {
    const sql = 'UPDATE feature_flag_strategies SET name = ?, parameters = ?, user_list_id = ? WHERE id = ?'
    db.exec(sql, ...values, strategy.id)
    return strategy.id
  }
  const columns = 'feature_flag_id, name, parameters, user_list_id'
  return db.exec(`INSERT INTO feature_flag_strategies (${columns}) VALUES (?, ?, ?, ?)`, flagId, ...values).id
}
