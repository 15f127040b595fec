import type { SettingLine, SettingSection } from '../../components/form/setting-lines.ts'
import { t } from '../../locales/t.ts'

/** What a rule looks at with patterns. `refuses`: what has it is refused, not what lacks it. */
export const PATTERNS = [
  {
    key: 'branch_name_regex',
    label: t('push_rules.branch_names_have'),
    help: t('push_rules.asked_of_branches_that_are_pushed_or'),
    example: '^(feature|release)/',
  },
  {
    key: 'commit_message_regex',
    label: t('push_rules.messages_of_commits_have'),
    help: t('push_rules.and_stand_for_the_beginning_and_the'),
    example: 'Fixes \\d+',
  },
  {
    key: 'commit_message_negative_regex',
    label: t('push_rules.messages_of_commits_do_not_have'),
    help: t('push_rules.matching_pushes_are_rejected'),
    example: 'ssh://',
    refuses: true,
  },
  {
    key: 'author_email_regex',
    label: t('push_rules.email_addresses_of_authors_have'),
    help: t('push_rules.asked_of_authors_and_committers'),
    example: '@example\\.com$',
  },
  {
    key: 'file_name_regex',
    label: t('push_rules.paths_of_new_files_do_not_have'),
    help: t('push_rules.matching_new_files_are_rejected'),
    example: '\\.(jar|exe)$',
    refuses: true,
  },
] as const

export type PatternKey = (typeof PATTERNS)[number]['key']

/** The checks of the instance's push rule. */
export const FOLLOWING = [
  'reject_unsigned_commits',
  'commit_committer_check',
  'commit_committer_name_check',
  'reject_non_dco_commits',
]

/** Everything that is no pattern. */
export const SECTIONS: readonly SettingSection[] = [
  {
    title: t('push_rules.people_and_commits'),
    lines: [
      {
        key: 'reject_unsigned_commits',
        kind: 'switch',
        label: t('push_rules.commits_are_signed'),
        help: t('push_rules.by_any_key_commits_made_here_or'),
      },
      {
        key: 'commit_committer_check',
        kind: 'switch',
        label: t('push_rules.people_push_what_they_committed'),
        help: t('push_rules.the_committers_address_is_a_confirmed'),
      },
      {
        key: 'commit_committer_name_check',
        kind: 'switch',
        label: t('push_rules.committers_have_the_name_of_who_pushes'),
        help: t('push_rules.the_name_in_their_profile'),
      },
      {
        key: 'reject_non_dco_commits',
        kind: 'switch',
        label: t('push_rules.commits_are_signed_off'),
        help: t('push_rules.messages_need_a_signed_off_by_name'),
      },
      {
        key: 'member_check',
        kind: 'switch',
        label: t('push_rules.authors_are_users_here'),
        help: t('push_rules.the_commit_email_belongs_to_a_user_of'),
      },
    ],
  },
  {
    title: t('push_rules.tags_and_files'),
    lines: [
      {
        key: 'deny_delete_tag',
        kind: 'switch',
        label: t('push_rules.tags_are_not_removed_by_pushing'),
        help: t('push_rules.in_the_window_they_still_can_be'),
      },
      {
        key: 'prevent_secrets',
        kind: 'switch',
        label: t('push_rules.no_files_that_look_like_secrets'),
        help: t('push_rules.new_files_with_names_such_as_id_rsa'),
      },
      {
        key: 'max_file_size',
        kind: 'number',
        unit: 'MB',
        label: t('push_rules.largest_file'),
        help: t('push_rules.n0_for_any_the_limit_of_whole_pushes'),
      },
    ],
  },
]

/** The lines of a draft, patterns too. */
export const LINES: readonly SettingLine[] = [
  ...SECTIONS.flatMap((section) => section.lines),
  ...PATTERNS.map(({ key, label }) => ({ key, label, kind: 'text' }) as const),
]
