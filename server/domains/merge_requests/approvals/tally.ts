import type { Rule } from './rules/rule.ts'

/** A rule as it stands for one merge request. */
export interface RuleState {
  readonly rule: Rule
  /** What counts now: a rule of code owners asks for nothing where the branch does not ask for them. */
  readonly approvals_required: number
  /** Whose approval counts; of no meaning where everybody's does. */
  readonly approver_ids: readonly number[]
  readonly approved_by_ids: readonly number[]
  readonly approvals_left: number
  readonly approved: boolean
  /** Nobody is left who could approve, so that the rule holds nobody up. */
  readonly invalid: boolean
}

/** Who has approved, and whose approvals count where. */
export interface Count {
  readonly approvals_required: number
  readonly approver_ids: readonly number[]
  /** All who have approved, in order. */
  readonly approved_ids: readonly number[]
}

/** How a rule stands (spec administration 12.4). */
export function tallyRule(rule: Rule, { approvals_required, approver_ids, approved_ids }: Count): RuleState {
  if (rule.rule_type === 'any_approver') {
    const left = Math.max(approvals_required - approved_ids.length, 0)
    const tally = { approvals_required, approvals_left: left, approved: left === 0, invalid: false }
    return { rule, approver_ids: [], approved_by_ids: approved_ids, ...tally }
  }
  const approved_by_ids = approved_ids.filter((id) => approver_ids.includes(id))
  const missing = Math.max(approvals_required - approved_by_ids.length, 0)
  const invalid = missing > 0 && approved_by_ids.length === approver_ids.length
  return {
    rule,
    approvals_required,
    approver_ids,
    approved_by_ids,
    approvals_left: invalid ? 0 : missing,
    approved: missing === 0 || invalid,
    invalid,
  }
}

/** What all rules of a merge request say together. */
export interface Tally {
  readonly rules: readonly RuleState[]
  readonly approvals_required: number
  readonly approvals_left: number
  readonly approved: boolean
}

/**
 * Adds up (spec administration 12.4). An approval counts in every rule that it belongs to; those that everybody can give
 * are not asked for beside the others.
 */
export function tally(rules: readonly RuleState[]): Tally {
  const isForAll = (one: RuleState) => one.rule.rule_type === 'any_approver'
  const sum = (of: readonly number[]) => of.reduce((total, one) => total + one, 0)
  const named = sum(rules.filter((one) => !isForAll(one)).map((one) => one.approvals_left))
  const anybody = sum(rules.filter(isForAll).map((one) => one.approvals_left))
  return {
    rules,
    approvals_required: sum(rules.map((one) => one.approvals_required)),
    approvals_left: Math.max(named, anybody),
    approved: rules.every((one) => one.approved),
  }
}
