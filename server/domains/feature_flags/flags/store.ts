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

/** Filters of a list of flags. */
export interface FlagFilter {
  readonly project_id: number
  readonly active?: boolean | undefined
}

function selected({ project_id, active }: FlagFilter) {
  const query = q.selectFrom('feature_flags').where('project_id', '=', project_id)
  return active === undefined ? query : query.where('active', '=', active)
}

/** One page of the flags of a project, by name. */
export function list(
  db: Database,
  filter: FlagFilter,
  paging: { readonly limit: number; readonly offset: number },
): Rows<FeatureFlagRow> {
  const query = selected(filter)
  const rows = db.all(query.selectAll().orderBy('name').limit(paging.limit).offset(paging.offset))
  return { rows, total: boundedCount(db, query.select('id')) }
}

/** All flags of a project, oldest first. Their number is limited. */
export function ofProject(db: Database, projectId: number): FeatureFlagRow[] {
  return db.all(selected({ project_id: projectId }).selectAll().orderBy('id'))
}

/** A flag, or undefined when it is deleted. */
export function featureFlagById(db: Database, id: number): FeatureFlagRow | undefined {
  return db.get(q.selectFrom('feature_flags').selectAll().where('id', '=', id))
}

export function byName(db: Database, projectId: number, name: string): FeatureFlagRow | undefined {
  return db.get(selected({ project_id: projectId }).selectAll().where('name', '=', name))
}

/** How many flags a project has. */
export function count(db: Database, projectId: number): number {
  const query = selected({ project_id: projectId })
  return db.get(query.select((eb) => eb.fn.countAll<number>().as('count')))!.count
}

/** Adds a flag under the next number of its project. */
export function insert(db: Database, row: Omit<Insertable<FeatureFlagsTable>, 'iid'>): FeatureFlagRow {
  const newest = selected({ project_id: row.project_id }).select((eb) => eb.fn.max('iid').as('iid'))
  const iid = (db.get(newest)?.iid ?? 0) + 1
  return db.get(
    q
      .insertInto('feature_flags')
      .values({ ...row, iid })
      .returningAll(),
  )!
}

export const { update, remove } = table('feature_flags')

/** The scopes of the legacy flags among some flags, oldest first. */
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

/** Some flags with their strategies and scopes, in their order. */
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

/** The wanted state of a strategy: without an id it is new, and so is a scope. */
export interface WantedStrategy {
  readonly id: number | undefined
  readonly name: string
  readonly parameters: unknown
  readonly scopes: readonly { readonly id: number | undefined; readonly environment_scope: string }[]
  readonly user_list_id: number | null
}

/** The strategies of some flags by flag, oldest first. */
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

/** Writes the strategies of a flag: deletes missing ones, changes those with an id, adds the others. */
export function replace(db: Database, flagId: number, wanted: readonly WantedStrategy[]): void {
  const kept = jsonList(wanted.flatMap((strategy) => strategy.id ?? []))
  const unwanted = 'feature_flag_id = ? AND id NOT IN (SELECT value FROM json_each(?))'
  db.exec(`DELETE FROM feature_flag_strategies WHERE ${unwanted}`, flagId, kept)
  for (const strategy of wanted) {
    const id = write(db, flagId, strategy)
    // Scopes may swap names, so all are deleted first.
    db.exec('DELETE FROM feature_flag_scopes WHERE strategy_id = ?', id)
    for (const scope of strategy.scopes) {
      const sql = 'INSERT INTO feature_flag_scopes (id, strategy_id, environment_scope) VALUES (?, ?, ?)'
      db.exec(sql, scope.id, id, scope.environment_scope)
    }
  }
}

function write(db: Database, flagId: number, strategy: WantedStrategy): number {
  const values = [strategy.name, JSON.stringify(strategy.parameters), strategy.user_list_id]
  if (strategy.id !== undefined) {
    const sql = 'UPDATE feature_flag_strategies SET name = ?, parameters = ?, user_list_id = ? WHERE id = ?'
    db.exec(sql, ...values, strategy.id)
    return strategy.id
  }
  const columns = 'feature_flag_id, name, parameters, user_list_id'
  return db.exec(`INSERT INTO feature_flag_strategies (${columns}) VALUES (?, ?, ?, ?)`, flagId, ...values).id
}
