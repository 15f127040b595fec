/** Patterns of a rule, by column. */
import type { PushRuleRow } from './store.ts'

export const PATTERNS = [
  'commit_message_regex',
  'commit_message_negative_regex',
  'branch_name_regex',
  'author_email_regex',
  'file_name_regex',
] as const

export type PatternName = (typeof PATTERNS)[number]

/** What a place leaves to the rule of the instance where it says nothing itself (spec administration 11.3). */
export const FOLLOWING = [
  'commit_committer_check',
  'reject_unsigned_commits',
  'reject_non_dco_commits',
  'commit_committer_name_check',
] as const

export type FollowingName = (typeof FOLLOWING)[number]

/** The rule of a project as pushes are judged by it: what follows the instance is filled in. */
export type PushRule = Omit<PushRuleRow, FollowingName> & {
  readonly [Name in FollowingName]: boolean
}

/** What a rule says, or the instance where it says nothing; null where neither does. */
export function valueOf(
  rule: PushRuleRow,
  name: FollowingName,
  instance: PushRuleRow | undefined,
): boolean | null {
  const value = rule[name] ?? instance?.[name] ?? null
  return value === null ? null : value
}
