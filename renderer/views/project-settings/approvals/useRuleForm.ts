import { reactive } from 'vue'
import { api } from '../../../api/client.ts'
import { approversOf, type Approver, type Rule } from './rules.ts'

/** How the branches of a rule are chosen. */
export type Branches = 'all' | 'protected' | 'some'

/** The rule of the dialog: an existing rule, a new one for named approvers, or a new one for all approvers. */
export type Subject = { rule: Rule | null; forAll: boolean }

/** A rule as the dialog edits it. */
export const useRuleForm = () => {
  const form = reactive({
    name: '',
    count: '1',
    approvers: [] as Approver[],
    branches: 'all' as Branches,
    chosen: [] as { id: number; name: string }[],
    removeHidden: false,
  })
  const read = ({ rule, forAll }: Subject) => {
    form.name = rule?.name ?? (forAll ? 'All Members' : '')
    form.count = String(rule?.approvals_required ?? (forAll ? 0 : 1))
    form.approvers = rule ? approversOf(rule) : []
    form.chosen = (rule?.protected_branches ?? []).map(({ id, name }) => ({ id, name }))
    form.branches = rule?.applies_to_all_protected_branches
      ? 'protected'
      : form.chosen.length > 0
        ? 'some'
        : 'all'
    form.removeHidden = false
  }
  const send = (id: number, { rule, forAll }: Subject) => {
    const given = {
      id,
      name: form.name.trim(),
      approvals_required: Number(form.count),
      user_ids: form.approvers.flatMap((one) => one.user_id ?? []),
      group_ids: form.approvers.flatMap((one) => one.group_id ?? []),
      protected_branch_ids: form.branches === 'some' ? form.chosen.map((one) => one.id) : [],
      applies_to_all_protected_branches: form.branches === 'protected',
    }
    if (!rule)
      return api('POST /projects/:id/approval_rules', {
        ...given,
        rule_type: forAll ? 'any_approver' : 'regular',
      })
    const remove_hidden_groups = form.removeHidden
    return api('PUT /projects/:id/approval_rules/:approval_rule_id', {
      ...given,
      approval_rule_id: rule.id,
      remove_hidden_groups,
    })
  }
  return { form, read, send }
}
