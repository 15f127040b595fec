import { Users } from '@lucide/vue'
import type { Item, Result } from '../../../api/client.ts'
import type { PickerItem } from '../../../components/form/picker.ts'
import type { SettingSection } from '../../../components/form/setting-lines.ts'
import { plural } from '../../../composables/time.ts'

export type Rule = Item<'GET /projects/:id/approval_rules'>
export type Settings = Result<'GET /projects/:id/approvals'>

/** Cached answers that are stale after a change of rules or settings. */
export const STALE = [
  'GET /projects/:id/approval_rules*',
  'GET /projects/:id/approvals',
  'GET /projects/:id',
  'GET /projects/:id/merge_requests*',
]

/** A selected approver: a user or a group. */
export type Approver = PickerItem & { user_id?: number; group_id?: number }

export const approversOf = (rule: Pick<Rule, 'users' | 'groups'>): Approver[] => [
  ...rule.users.map((user) => ({
    value: `user:${user.id}`,
    label: user.name,
    note: `@${user.username}`,
    person: true,
    picture: user.avatar_url,
    user_id: user.id,
  })),
  ...rule.groups.map(groupItem),
]

export const groupItem = (group: { id: number; full_name: string; full_path: string }): Approver => ({
  value: `group:${group.id}`,
  label: group.full_name,
  note: group.full_path,
  icon: Users,
  group_id: group.id,
})

const MAX_NAMED = 3

/** In a few words: “Ines Okafor, harbour and 2 more”. */
const someOf = (names: readonly string[]): string => {
  const more = names.length - MAX_NAMED
  return more > 0 ? `${names.slice(0, MAX_NAMED).join(', ')} and ${more} more` : names.join(', ')
}

/** Whose approval a rule wants. */
export const whoOf = (rule: Rule): string => {
  if (rule.rule_type === 'any_approver') return 'All eligible users'
  const names = approversOf(rule).map((one) => one.label)
  if (rule.contains_hidden_groups) names.push('groups you cannot see')
  return names.length === 0 ? 'No eligible approvers; does not block' : someOf(names)
}

/** For which branches. */
export const whereOf = (rule: Rule): string => {
  if (rule.applies_to_all_protected_branches) return 'all protected branches'
  if (rule.protected_branches.length === 0) return 'all branches'
  return someOf(rule.protected_branches.map((branch) => branch.name))
}

export const countOf = (rule: { approvals_required: number }): string =>
  rule.approvals_required === 0 ? 'optional' : plural(rule.approvals_required, 'approval')

/** The effect of a push on approvals, as one choice. */
export type AfterPush = 'all' | 'owners' | 'none'

export const SETTINGS: readonly SettingSection[] = [
  {
    title: 'What counts',
    lines: [
      {
        key: 'after_push',
        kind: 'choice',
        label: 'When commits are added',
        help: 'A change that only moved onto newer commits keeps its approvals.',
        options: [
          { value: 'all', label: 'Drop all approvals' },
          { value: 'owners', label: 'Drop those of code owners' },
          { value: 'none', label: 'Keep approvals' },
        ],
      },
      {
        key: 'merge_requests_author_approval',
        kind: 'switch',
        label: 'Authors may approve',
        help: 'Their own approval of their own merge request counts.',
      },
      {
        key: 'merge_requests_disable_committers_approval',
        kind: 'switch',
        label: "Committers can't approve",
        help: 'Users who added commits cannot approve the merge request.',
      },
      {
        key: 'disable_overriding_approvers_per_merge_request',
        kind: 'switch',
        label: 'The same rules for all',
        help: 'Merge requests cannot have rules of their own.',
      },
      {
        key: 'require_password_to_approve',
        kind: 'switch',
        label: 'Require the password',
        help: 'Approvers re-enter their password each time.',
      },
    ],
  },
]

/** Stored settings in words of the lines. */
export const shown = (settings: Settings): object => ({
  ...settings,
  after_push: settings.reset_approvals_on_push
    ? 'all'
    : settings.selective_code_owner_removals
      ? 'owners'
      : 'none',
})

/** The lines that changed as they are sent. */
export const sent = ({ after_push, ...rest }: Record<string, unknown>): Record<string, unknown> => ({
  ...rest,
  ...(after_push === undefined
    ? {}
    : {
        reset_approvals_on_push: after_push === 'all',
        selective_code_owner_removals: after_push === 'owners',
      }),
})
