import { sql, type RawBuilder, type SqlBool } from 'kysely'

/** A condition on alias `i`, the issue or merge request. */
export type Condition = RawBuilder<SqlBool>

/**
 * One filter of a list. `check` tests a row that something else has found, without leading SQLite to an index; `find`
 * says the same so that its rows are looked up; `probe` selects one row for each that it would find, so that the
 * narrowest filter of a list can be told.
 */
export interface Part {
  readonly check: Condition
  readonly find?: Condition
  readonly probe?: RawBuilder<unknown>
  /** The index that `find` uses goes on with the state. */
  readonly leadsToState?: boolean
  /** `check` asks for nothing of the row but its id. */
  readonly byId?: boolean
  /** Selects the ids (`id`) that `find` looks up, where another table has them. */
  readonly ids?: RawBuilder<unknown>
}

/** A part that only tests. */
export function checkOnly(check: Condition): Part {
  return { check }
}

/** Nothing fits. */
export const never: Part = { check: sql<SqlBool>`0` }

/** The opposite of a part. */
export function opposite({ check }: Part): Part {
  return { check: sql<SqlBool>`NOT (${check})` }
}
