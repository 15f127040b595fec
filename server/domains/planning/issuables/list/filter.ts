import type { NumberOrWord } from './params.ts'

/** Filters that can hold or not hold. */
interface Turnable {
  readonly labels?: readonly string[] | undefined
  readonly milestone?: string | undefined
  readonly author_id?: number | undefined
  readonly author_username?: string | undefined
  readonly assignee_username?: readonly string[] | undefined
  readonly my_reaction_emoji?: string | undefined
  readonly iids?: readonly number[] | undefined
}

/** What a list of issues or merge requests is narrowed to; what is absent does not narrow. */
export interface IssuableFilter extends Turnable {
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
  /** Of issues only. */
  readonly confidential?: boolean | undefined
  readonly issue_type?: string | undefined
  readonly due_date?: string | undefined
  readonly health_status?: string | undefined
  /** By the id of a milestone, for its own lists. */
  readonly of_milestone?: number | undefined
}

/** What must not hold. */
export interface NegatedFilter extends Turnable {
  readonly milestone_id?: 'Upcoming' | 'Started' | undefined
  readonly assignee_id?: number | undefined
  readonly weight?: number | undefined
  readonly issue_type?: string | undefined
}
