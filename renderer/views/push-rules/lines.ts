import type { SettingLine, SettingSection } from '../../components/form/setting-lines.ts'
import { t } from '../../locales/t.ts'

/** What a rule looks at with patterns. `refuses`: what has it is refused, not what lacks it. */
export const PATTERNS = [
  {
    key: 'branch_name_regex',
    label: t('push_rules.branch_names_must_match'),
    help: t('push_rules.checks_branches_that_are_pushed_or'),
    example: '^(feature|release)/',
  },
  {
    key: 'commit_message_regex',
    label: t('push_rules.commit_messages_must_match'),
    help: t('push_rules.and_match_the_start_and_end_of_a_line'),
    example: 'Fixes \\d+',
  },
  {
    key: 'commit_message_negative_regex',
    label: t('push_rules.commit_messages_must_not_match'),
    help: t('push_rules.matching_pushes_are_rejected'),
    example: 'ssh://',
    refuses: true,
  },
  {
    key: 'author_email_regex',
    label: t('push_rules.author_emails_must_match'),
    help: t('push_rules.checks_authors_and_committers'),
    example: '@example\\.com$',
  },
  {
    key: 'file_name_regex',
    label: t('push_rules.new_file_paths_must_not_match'),
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
    title: t('push_rules.authors_and_committers'),
    lines: [
      {
        key: 'reject_unsigned_commits',
        kind: 'switch',
        label: t('push_rules.commits_must_be_signed'),
        help: t('push_rules.with_any_key_commits_created_here_or'),
      },
      {
        key: 'commit_committer_check',
        kind: 'switch',
        label: t('push_rules.pushers_must_be_the_committers'),
        help: t('push_rules.the_committers_email_is_a_confirmed'),
      },
      {
        key: 'commit_committer_name_check',
        kind: 'switch',
        label: t('push_rules.committer_name_must_match_the_pusher'),
        help: t('push_rules.the_name_in_the_pushers_profile'),
      },
      {
        key: 'reject_non_dco_commits',
        kind: 'switch',
        label: t('push_rules.commits_must_be_signed_off'),
        help: t('push_rules.messages_need_a_signed_off_by_name'),
      },
      {
        key: 'member_check',
        kind: 'switch',
        label: t('push_rules.authors_must_be_users_of_this_instance'),
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
        label: t('push_rules.prevent_deleting_tags_by_push'),
        help: t('push_rules.in_the_window_they_still_can_be'),
      },
      {
        key: 'prevent_secrets',
        kind: 'switch',
        label: t('push_rules.reject_secret_files'),
        help: t('push_rules.rejects_new_files_named_like_id_rsa'),
      },
      {
        key: 'max_file_size',
        kind: 'number',
        unit: 'MB',
        label: t('push_rules.maximum_file_size'),
        help: t('push_rules.n0_means_unlimited_the_push_size_limit'),
      },
    ],
  },
]

/** The lines of a draft, patterns too. */
export const LINES: readonly SettingLine[] = [
  ...SECTIONS.flatMap((section) => section.lines),
  ...PATTERNS.map(({ key, label }) => ({ key, label, kind: 'text' }) as const),
]
