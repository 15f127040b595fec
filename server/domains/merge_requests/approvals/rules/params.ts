import { int, list, text } from '../../../../http/params.ts'

/** How a rule is named in paths. */
export const ruleIdParam = { approval_rule_id: int({ min: 1 }).describe('Id of the rule') }

/** Whom a rule names. */
export const ruleParams = {
  user_ids: list(int({ min: 1 }))
    .optional()
    .describe('Users whose approval counts; those without access to the project are left out'),
  usernames: list(text({ max: 255 }))
    .optional()
    .describe('The same by name; adds to user_ids'),
  group_ids: list(int({ min: 1 }))
    .optional()
    .describe('Groups whose direct members approve; those that the caller may not see are left out'),
}
