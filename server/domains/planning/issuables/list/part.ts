import { sql, type RawBuilder, type SqlBool } from 'kysely'

/** An SQL condition on alias `i`, the issue or merge request. */
export type Condition = RawBuilder<SqlBool>

/**
 * One filter of a list, as SQL. `check` tests rows that another filter found and uses no index. `find` is the same
 * condition with an index. `probe` selects one row for each match of `find`, so that the list can start with the filter
 * that has the fewest matches.
 */
export interface Part {
  readonly check: Condition
  readonly find?: Condition
  readonly probe?: RawBuilder<unknown>
  /** The index of `find` has the state as its next column. */
  readonly leadsToState?: boolean
  /** `check` reads only the ID of the row. */
  readonly byId?: boolean
  /** Selects the IDs (`id`) of the matches of `find` from another table, if there is one. */
  readonly ids?: RawBuilder<unknown>
}

/** Makes a filter that cannot find rows by an index. */
export function checkOnly(check: Condition): Part {
  return { check }
}

/** A filter that matches nothing. */
export const never: Part = { check: sql<SqlBool>`0` }

/** Negates a filter. */
export function opposite({ check }: Part): Part {
  return { check: sql<SqlBool>`NOT (${check})` }
}
