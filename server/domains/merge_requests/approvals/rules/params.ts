import { int, list, text } from '../../../../http/params.ts'

/** Names a rule in paths. */
export const ruleIdParam = { approval_rule_id: int({ min: 1 }).describe('The ID of an approval rule') }

/** The approvers of a rule. */
export const ruleParams = {
  user_ids: list(int({ min: 1 }))
    .optional()
    .describe('The IDs of approvers. Users without access to the project are ignored'),
  usernames: list(text({ max: 255 }))
    .optional()
    .describe('The usernames of approvers, in addition to `user_ids`'),
  group_ids: list(int({ min: 1 }))
    .optional()
    .describe(
      'The IDs of groups with direct members as approvers. Groups that the caller may not see are ignored',
    ),
}
