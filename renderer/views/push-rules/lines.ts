import type { SettingLine, SettingSection } from '../../components/form/setting-lines.ts'

/** What a rule looks at with patterns. `refuses`: what has it is refused, not what lacks it. */
export const PATTERNS = [
  {
    key: 'branch_name_regex',
    label: 'Branch names have',
    help: 'Asked of branches that are pushed or made here. The default branch may have any name.',
    example: '^(feature|release)/',
  },
  {
    key: 'commit_message_regex',
    label: 'Messages of commits have',
    help: '^ and $ stand for the beginning and the end of a line.',
    example: 'Fixes \\d+',
  },
  {
    key: 'commit_message_negative_regex',
    label: 'Messages of commits do not have',
    help: 'Matching pushes are rejected.',
    example: 'ssh://',
    refuses: true,
  },
  {
    key: 'author_email_regex',
    label: 'Email addresses of authors have',
    help: 'Asked of authors and committers.',
    example: '@example\\.com$',
  },
  {
    key: 'file_name_regex',
    label: 'Paths of new files do not have',
    help: 'Matching new files are rejected. Existing files can change.',
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
    title: 'People and commits',
    lines: [
      {
        key: 'reject_unsigned_commits',
        kind: 'switch',
        label: 'Commits are signed',
        help: 'By any key. Commits made here or through the API are exempt.',
      },
      {
        key: 'commit_committer_check',
        kind: 'switch',
        label: 'People push what they committed',
        help: 'The committer’s address is a confirmed one of who pushes.',
      },
      {
        key: 'commit_committer_name_check',
        kind: 'switch',
        label: 'Committers have the name of who pushes',
        help: 'The name in their profile.',
      },
      {
        key: 'reject_non_dco_commits',
        kind: 'switch',
        label: 'Commits are signed off',
        help: 'Messages need a “Signed-off-by: Name <address>” line. Commits made here are exempt.',
      },
      {
        key: 'member_check',
        kind: 'switch',
        label: 'Authors are users here',
        help: 'The commit email belongs to a user of this instance.',
      },
    ],
  },
  {
    title: 'Tags and files',
    lines: [
      {
        key: 'deny_delete_tag',
        kind: 'switch',
        label: 'Tags are not removed by pushing',
        help: 'In the window they still can be.',
      },
      {
        key: 'prevent_secrets',
        kind: 'switch',
        label: 'No files that look like secrets',
        help: 'New files with names such as id_rsa, server.key, aws/credentials or .bash_history are refused.',
      },
      {
        key: 'max_file_size',
        kind: 'number',
        unit: 'MB',
        label: 'Largest file',
        help: '0 for any. The limit of whole pushes holds beside it.',
      },
    ],
  },
]

/** The lines of a draft, patterns too. */
export const LINES: readonly SettingLine[] = [
  ...SECTIONS.flatMap((section) => section.lines),
  ...PATTERNS.map(({ key, label }) => ({ key, label, kind: 'text' }) as const),
]
