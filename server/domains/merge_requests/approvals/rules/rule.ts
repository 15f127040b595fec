import type { Selectable } from 'kysely'

import type { ApprovalRulesTable } from '../../../../db/schema.gen.ts'

/** The types of rules (spec administration 12.2). */
export type RuleType = 'regular' | 'any_approver' | 'report_approver' | 'code_owner'

/** The reports that a rule of the type `report_approver` watches. */
export type ReportType = 'license_scanning' | 'code_coverage'

/** An approval rule as stored, with its users, groups and branches. */
export interface Rule extends Omit<Selectable<ApprovalRulesTable>, 'rule_type' | 'report_type'> {
  readonly rule_type: RuleType
  readonly report_type: ReportType | null
  readonly user_ids: readonly number[]
  readonly group_ids: readonly number[]
  /** Protected branches that the rule applies to. Empty for all branches. */
  readonly branch_ids: readonly number[]
}

/** Default name of the rule for all members. */
export const ALL_MEMBERS = 'All Members'

/** The fixed names of rules that watch reports. */
export const REPORT_NAMES: Readonly<Record<ReportType, string>> = {
  license_scanning: 'License-Check',
  code_coverage: 'Coverage-Check',
}

/** The maximum number of approvals that a rule may require. */
export const MAX_APPROVALS = 100

/** Whether merge requests may override a rule. Rules that watch reports and code owner rules always apply. */
export function isOverridable({ rule_type }: Pick<Rule, 'rule_type'>): boolean {
  return rule_type === 'regular' || rule_type === 'any_approver'
}

/** Whether two lists have the same IDs in any order. */
export function isSameSet(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((id) => b.includes(id))
}
