import type { Rule } from './rules/rule.ts'

/** The state of a rule for a merge request. */
export interface RuleState {
  readonly rule: Rule
  /** The number of required approvals. 0 for code owner rules if the branch does not require them. */
  readonly approvals_required: number
  /** The eligible approvers. Empty for the rule for all members. */
  readonly approver_ids: readonly number[]
  readonly approved_by_ids: readonly number[]
  readonly approvals_left: number
  readonly approved: boolean
  /** Whether fewer eligible approvers are left than required. Such a rule does not block the merge. */
  readonly invalid: boolean
}

/** The numbers and users that the state of a rule is computed from. */
export interface TallyInput {
  readonly approvals_required: number
  readonly approver_ids: readonly number[]
  /** All users who approved, in order. */
  readonly approved_ids: readonly number[]
}

/** Computes the state of a rule (spec administration 12.4). */
export function tallyRule(
  rule: Rule,
  { approvals_required, approver_ids, approved_ids }: TallyInput,
): RuleState {
  if (rule.rule_type === 'any_approver') {
    const approvalsLeft = Math.max(approvals_required - approved_ids.length, 0)
    const tally = {
      approvals_required,
      approvals_left: approvalsLeft,
      approved: approvalsLeft === 0,
      invalid: false,
    }
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

/** The sum of the states of all rules. */
export interface Tally {
  readonly rules: readonly RuleState[]
  readonly approvals_required: number
  readonly approvals_left: number
  readonly approved: boolean
}

/**
 * Adds up the states of rules (spec administration 12.4). An approval counts for every rule that its user is an
 * approver of, also for the rule for all members.
 */
export function tally(rules: readonly RuleState[]): Tally {
  const isForAll = (rule: RuleState) => rule.rule.rule_type === 'any_approver'
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)
  const leftOfOthers = sum(rules.filter((rule) => !isForAll(rule)).map((rule) => rule.approvals_left))
  const leftOfAll = sum(rules.filter(isForAll).map((rule) => rule.approvals_left))
  return {
    rules,
    approvals_required: sum(rules.map((rule) => rule.approvals_required)),
    approvals_left: Math.max(leftOfOthers, leftOfAll),
    approved: rules.every((rule) => rule.approved),
  }
}
