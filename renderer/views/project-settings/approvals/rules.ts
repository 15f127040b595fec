import { Users } from '@lucide/vue'
import type { Item, Result } from '../../../api/client.ts'
import type { PickerItem } from '../../../components/form/picker.ts'
import type { SettingSection } from '../../../components/form/setting-lines.ts'
import { t } from '../../../locales/t.ts'

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
  return more > 0
    ? t('project_settings.names_and_more_more', { names: names.slice(0, MAX_NAMED).join(', '), more })
    : names.join(', ')
}

/** Whose approval a rule wants. */
export const whoOf = (rule: Rule): string => {
  if (rule.rule_type === 'any_approver') return t('project_settings.all_eligible_users')
  const names = approversOf(rule).map((one) => one.label)
  if (rule.contains_hidden_groups) names.push(t('project_settings.groups_you_cannot_see'))
  return names.length === 0 ? t('project_settings.no_eligible_approvers_does_not_block') : someOf(names)
}

/** For which branches. */
export const whereOf = (rule: Rule): string => {
  if (rule.applies_to_all_protected_branches) return t('project_settings.all_protected_branches_2')
  if (rule.protected_branches.length === 0) return t('project_settings.all_branches')
  return someOf(rule.protected_branches.map((branch) => branch.name))
}

export const countOf = (rule: { approvals_required: number }): string =>
  rule.approvals_required === 0
    ? t('project_settings.optional_2')
    : t('count.approvals', { count: rule.approvals_required })

export const SETTINGS: readonly SettingSection[] = [
  {
    title: t('project_settings.approval_settings'),
    lines: [
      {
        key: 'after_push',
        kind: 'choice',
        label: t('project_settings.when_commits_are_added'),
        help: t('project_settings.a_rebase_without_changes_keeps_the'),
        options: [
          { value: 'all', label: t('project_settings.remove_all_approvals') },
          { value: 'owners', label: t('project_settings.remove_code_owner_approvals_of_changed') },
          { value: 'none', label: t('project_settings.keep_approvals') },
        ],
      },
      {
        key: 'merge_requests_author_approval',
        kind: 'switch',
        label: t('project_settings.allow_approval_by_the_author'),
        help: t('project_settings.authors_can_approve_their_own_merge'),
      },
      {
        key: 'merge_requests_disable_committers_approval',
        kind: 'switch',
        label: t('project_settings.committers_cant_approve'),
        help: t('project_settings.users_who_added_commits_cannot_approve'),
      },
      {
        key: 'disable_overriding_approvers_per_merge_request',
        kind: 'switch',
        label: t('project_settings.same_rules_for_all_merge_requests'),
        help: t('project_settings.prevents_editing_approval_rules_in'),
      },
      {
        key: 'require_password_to_approve',
        kind: 'switch',
        label: t('project_settings.require_password_to_approve'),
        help: t('project_settings.approvers_re_enter_their_password_each'),
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
