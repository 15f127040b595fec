import type { Insertable, Selectable, Updateable } from 'kysely'

import { jsonList, q, type Database } from '../../../db/database.ts'
import { boundedCount } from '../../../db/lists.ts'
import type { Rows } from '../../../db/rows.ts'
import type { FeatureFlagLegacyScopesTable, FeatureFlagsTable } from '../../../db/schema.gen.ts'
import { table } from '../../../db/table.ts'
import type { Ctx } from '../../../ctx.ts'
import { strategiesOf } from '../strategies/store.ts'
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

export function named(db: Database, projectId: number, name: string): FeatureFlagRow | undefined {
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
