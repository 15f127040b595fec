import type { Selectable } from 'kysely'

import type { ApprovalRulesTable } from '../../../../db/schema.gen.ts'

/** What a rule is about (spec administration 12.2). */
export type RuleType = 'regular' | 'any_approver' | 'report_approver' | 'code_owner'

/** What a rule of the kind `report_approver` watches. */
export type ReportType = 'license_scanning' | 'code_coverage'

/** An approval rule as stored, with whom it names and the branches it holds for. */
export interface Rule extends Omit<Selectable<ApprovalRulesTable>, 'rule_type' | 'report_type'> {
  readonly rule_type: RuleType
  readonly report_type: ReportType | null
  readonly user_ids: readonly number[]
  readonly group_ids: readonly number[]
  /** Protected branches; none means every branch. */
  readonly branch_ids: readonly number[]
}

/** Name of a rule for all members that nobody named. */
export const ALL_MEMBERS = 'All Members'

/** Names of the rules that watch reports; they have no others. */
export const REPORT_NAMES: Readonly<Record<ReportType, string>> = {
  license_scanning: 'License-Check',
  code_coverage: 'Coverage-Check',
}

/** The most approvals that a rule may ask for. */
export const MAX_APPROVALS = 100

/** Whether people make such rules; the others follow from reports and files. */
export function isOfPeople({ rule_type }: Pick<Rule, 'rule_type'>): boolean {
  return rule_type === 'regular' || rule_type === 'any_approver'
}

/** Whether two lists name the same, in whatever order. */
export function isSameSet(one: readonly number[], other: readonly number[]): boolean {
  return one.length === other.length && one.every((id) => other.includes(id))
}
