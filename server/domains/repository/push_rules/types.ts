import type { PushRuleRow } from './store.ts'

/** The columns with patterns. */
export const PATTERNS = [
  'commit_message_regex',
  'commit_message_negative_regex',
  'branch_name_regex',
  'author_email_regex',
  'file_name_regex',
] as const

export type PatternName = (typeof PATTERNS)[number]

/** The columns that follow the rule of the instance while they are null (spec administration 11.3). */
export const FOLLOWING = [
  'commit_committer_check',
  'reject_unsigned_commits',
  'reject_non_dco_commits',
  'commit_committer_name_check',
] as const

export type FollowingName = (typeof FOLLOWING)[number]

/** The push rule of a project with the values of the instance filled in. */
export type PushRule = Omit<PushRuleRow, FollowingName> & {
  readonly [Name in FollowingName]: boolean
}

/** Returns a value of a rule, or else the value of the instance. Null if neither is set. */
export function valueOf(
  rule: PushRuleRow,
  name: FollowingName,
  instance: PushRuleRow | undefined,
): boolean | null {
  return rule[name] ?? instance?.[name] ?? null
}
