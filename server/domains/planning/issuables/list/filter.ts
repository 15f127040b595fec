import { sql, type RawBuilder, type SqlBool } from 'kysely'

import type { NumberOrWord } from './params.ts'

/** An SQL condition on alias `i`, the issue or merge request. */
export type Condition = RawBuilder<SqlBool>

/**
 * One filter of a list, as SQL. `check` tests rows that another filter has found, without an index. `find` is the same
 * condition with an index. `probe` selects one row for each match of `find`; the query counts these rows, and starts
 * with the filter that has the fewest.
 */
export interface SqlFilter {
  readonly check: Condition
  readonly find?: Condition
  readonly probe?: RawBuilder<unknown>
  /** Whether the index of `find` has the state as its next column. */
  readonly leadsToState?: boolean
  /** Whether `check` reads only the ID of the row. */
  readonly byId?: boolean
  /** Selects the IDs (`id`) of the matches of `find` from another table, if there is one. */
  readonly ids?: RawBuilder<unknown>
}

/** Makes a filter that cannot find rows by an index. */
export function checkOnly(check: Condition): SqlFilter {
  return { check }
}

/** A filter that matches nothing. */
export const matchNothing: SqlFilter = { check: sql<SqlBool>`0` }

/** Negates a filter. */
export function negate({ check }: SqlFilter): SqlFilter {
  return { check: sql<SqlBool>`NOT (${check})` }
}

/** Filters that can be negated. */
interface NegatableFilter {
  readonly labels?: readonly string[] | undefined
  readonly milestone?: string | undefined
  readonly author_id?: number | undefined
  readonly author_username?: string | undefined
  readonly assignee_username?: readonly string[] | undefined
  readonly my_reaction_emoji?: string | undefined
  readonly iids?: readonly number[] | undefined
}

/** The filters of a list of issues or merge requests. An undefined filter matches everything. */
export interface IssuableFilter extends NegatableFilter {
  readonly state?: string | undefined
  readonly milestone_id?: 'None' | 'Any' | 'Upcoming' | 'Started' | undefined
  readonly assignee_id?: NumberOrWord | undefined
  readonly weight?: NumberOrWord | undefined
  readonly search?: string | undefined
  readonly in?: readonly string[] | undefined
  readonly created_after?: string | undefined
  readonly created_before?: string | undefined
  readonly updated_after?: string | undefined
  readonly updated_before?: string | undefined
  readonly scope?: string | undefined
  readonly not?: NegatedFilter | undefined
  /** Only for issues. */
  readonly confidential?: boolean | undefined
  readonly issue_type?: string | undefined
  readonly due_date?: string | undefined
  readonly health_status?: string | undefined
  /** The ID of a milestone, for the lists of the milestone. */
  readonly of_milestone?: number | undefined
}

/** The filters in `not`. A record that matches one of them is not in the list. */
export interface NegatedFilter extends NegatableFilter {
  readonly milestone_id?: 'Upcoming' | 'Started' | undefined
  readonly assignee_id?: number | undefined
  readonly weight?: number | undefined
  readonly issue_type?: string | undefined
}
