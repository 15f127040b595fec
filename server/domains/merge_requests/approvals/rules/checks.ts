import { fail, invalid } from '../../../../lib/fail.ts'
import { MAX_APPROVALS, type Rule } from './rule.ts'

const MAX_NAME = 255

/** What everybody can say of a rule. */
export interface GivenRule {
  readonly name: string
  readonly approvals_required: number
}

/** Throws 400 for a name or a count that cannot stand; `least` is what the project asks for. */
export function checkRule({ name, approvals_required }: GivenRule, least = 0): void {
  const problems: Record<string, string> = {}
  if (name.length > MAX_NAME) problems['name'] = `is too long (maximum is ${MAX_NAME} characters)`
  if (approvals_required > MAX_APPROVALS)
    problems['approvals_required'] = `must be less than or equal to ${MAX_APPROVALS}`
  if (approvals_required < least) problems['approvals_required'] = `must be greater than or equal to ${least}`
  if (Object.keys(problems).length > 0) throw invalid(problems)
}

/** The refusal of a second rule with one name. */
export function nameTaken(): Error {
  return invalid({ name: 'has already been taken' })
}

/** Throws 400 for a second rule for all members. */
export function checkOneForAll(rules: readonly Rule[], owner: 'project' | 'merge request'): void {
  if (rules.some((rule) => rule.rule_type === 'any_approver'))
    throw invalid({ rule_type: `any-approver for the ${owner} already exists` })
}

/** The rule of that id among some. Throws `404 Not found`. */
export function findRule(rules: readonly Rule[], id: number): Rule {
  const found = rules.find((rule) => rule.id === id)
  if (!found) throw fail('not_found', '404 Not found')
  return found
}
