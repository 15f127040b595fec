import { atLeastOne, endpoint } from '../../../http/endpoint.ts'
import { bool, choice, int, text } from '../../../http/params.ts'
import { created, noContent, ok } from '../../../http/returns.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import { group } from '../../groups/index.ts'
import { project } from '../../projects/index.ts'
import { orNone, PatternTrial, ProjectPushRule, PushRule } from './entity.ts'
import { abilities, groupAbilities } from '../policy.ts'
import { createRule, removeRule, ruleAt, testPattern, updateRule } from './service.ts'
import { PATTERNS } from './types.ts'

const pattern = (requirement: string) =>
  text()
    .nullable()
    .optional()
    .describe(`${requirement} (an RE2 pattern that matches anywhere; empty to disable)`)
const following = (requirement: string) =>
  bool().nullable().optional().describe(`${requirement} (\`null\` follows the instance)`)

const params = {
  deny_delete_tag: bool().optional().describe('Deny deleting tags with `git push`'),
  member_check: bool().optional().describe('Restrict commits to authors who are users of this instance'),
  prevent_secrets: bool()
    .optional()
    .describe('Reject files that are likely to contain secrets, by their names'),
  commit_message_regex: pattern('All commit messages must match this pattern'),
  commit_message_negative_regex: pattern('No commit message may match this pattern'),
  branch_name_regex: pattern('All branch names must match this pattern'),
  author_email_regex: pattern('All author and committer emails must match this pattern'),
  file_name_regex: pattern('No path of a new file may match this pattern'),
  max_file_size: int().optional().describe('The maximum size of a new file in MB; `0` for no limit'),
  commit_committer_check: following(
    'Users can only push commits that were committed with one of their verified emails',
  ),
  commit_committer_name_check: following('The name of the committer must be the name of the user'),
  reject_unsigned_commits: following('Reject unsigned commits'),
  reject_non_dco_commits: following('Reject commits without a sign-off (DCO)'),
}

const parameterRules = [atLeastOne(...Object.keys(params))]
const fails = { 400: 'A pattern is invalid, or the size is out of range' }
const failsIfExists = (text: string) => ({ ...fails, 422: text })

const ofProject = { scope: project, can: abilities.manage_push_rule } as const
const ofGroup = { scope: group, can: groupAbilities.manage_group_push_rule } as const

const projectScope = (ctx: { project: { id: number } }) => ({ project_id: ctx.project.id, group_id: null })
const groupScope = (ctx: { group: { id: number } }) => ({ project_id: null, group_id: ctx.group.id })
const INSTANCE = { project_id: null, group_id: null }

export const getProjectRule = endpoint('GET /projects/:id/push_rule', {
  ...ofProject,
  summary: 'Get the push rules of a project',
  returns: ok(orNone(ProjectPushRule)),
  run: (ctx) => ruleAt(ctx, projectScope(ctx)) ?? null,
})

const PROJECT_RULE_EXISTS = 'Project push rule exists'

export const createProjectRule = endpoint('POST /projects/:id/push_rule', {
  ...ofProject,
  summary: 'Add push rules to a project',
  params,
  parameterRules,
  fails: failsIfExists(PROJECT_RULE_EXISTS),
  returns: created(ProjectPushRule),
  run: (ctx) => {
    if (ruleAt(ctx, projectScope(ctx))) throw fail('unprocessable', PROJECT_RULE_EXISTS)
    return createRule(ctx, projectScope(ctx), ctx.params)
  },
})

export const updateProjectRule = endpoint('PUT /projects/:id/push_rule', {
  ...ofProject,
  summary: 'Edit the push rules of a project',
  params,
  parameterRules,
  fails,
  returns: ok(ProjectPushRule),
  run: (ctx) => {
    const rule = ruleAt(ctx, projectScope(ctx))
    if (!rule) throw notFound('Push rule')
    return updateRule(ctx, rule.row, ctx.params)
  },
})

export const removeProjectRule = endpoint('DELETE /projects/:id/push_rule', {
  ...ofProject,
  summary: 'Delete the push rules of a project',
  returns: noContent,
  run: (ctx) => {
    const rule = ruleAt(ctx, projectScope(ctx))
    if (!rule) throw notFound('Push rule')
    ctx.http.unmodifiedSince(rule.row.updated_at)
    removeRule(ctx, rule.row)
  },
})

export const getGroupRule = endpoint('GET /groups/:id/push_rule', {
  ...ofGroup,
  summary: 'Get the push rules of a group',
  returns: ok(PushRule),
  run: (ctx) => {
    const rule = ruleAt(ctx, groupScope(ctx))
    if (!rule) throw notFound()
    return rule
  },
})

export const getGroupRuleOrNone = endpoint('GET /-/groups/:id/push_rule', {
  ...ofGroup,
  summary: 'Get the push rules of a group for the window, or null',
  returns: ok(orNone(PushRule)),
  run: (ctx) => ruleAt(ctx, groupScope(ctx)) ?? null,
})

const GROUP_RULE_EXISTS = 'Group push rule exists, try updating'

export const createGroupRule = endpoint('POST /groups/:id/push_rule', {
  ...ofGroup,
  summary: 'Add push rules to a group',
  params,
  parameterRules,
  fails: failsIfExists(GROUP_RULE_EXISTS),
  returns: created(PushRule),
  run: (ctx) => {
    if (ruleAt(ctx, groupScope(ctx))) throw fail('unprocessable', GROUP_RULE_EXISTS)
    return createRule(ctx, groupScope(ctx), ctx.params)
  },
})

export const updateGroupRule = endpoint('PUT /groups/:id/push_rule', {
  ...ofGroup,
  summary: 'Edit the push rules of a group',
  params,
  parameterRules,
  fails,
  returns: ok(PushRule),
  run: (ctx) => {
    const rule = ruleAt(ctx, groupScope(ctx))
    if (!rule) throw notFound()
    return updateRule(ctx, rule.row, ctx.params)
  },
})

export const removeGroupRule = endpoint('DELETE /groups/:id/push_rule', {
  ...ofGroup,
  summary: 'Delete the push rules of a group',
  returns: noContent,
  run: (ctx) => {
    const rule = ruleAt(ctx, groupScope(ctx))
    if (!rule) throw notFound()
    ctx.http.unmodifiedSince(rule.row.updated_at)
    removeRule(ctx, rule.row)
  },
})

export const getInstanceRule = endpoint('GET /-/admin/push_rule', {
  summary: 'Get the push rules of the instance',
  can: 'admin',
  returns: ok(orNone(PushRule)),
  run: (ctx) => ruleAt(ctx, INSTANCE) ?? null,
})

export const setInstanceRule = endpoint('PUT /-/admin/push_rule', {
  summary: 'Create or update the push rules of the instance',
  can: 'admin',
  params,
  parameterRules,
  fails,
  returns: ok(PushRule),
  run: (ctx) => {
    const rule = ruleAt(ctx, INSTANCE)
    return rule ? updateRule(ctx, rule.row, ctx.params) : createRule(ctx, INSTANCE, ctx.params)
  },
})

export const removeInstanceRule = endpoint('DELETE /-/admin/push_rule', {
  summary: 'Delete the push rules of the instance',
  can: 'admin',
  returns: noContent,
  run: (ctx) => {
    const rule = ruleAt(ctx, INSTANCE)
    if (!rule) throw notFound('Push rule')
    removeRule(ctx, rule.row)
  },
})

export const testRule = endpoint('POST /-/push_rules/trial', {
  summary: 'Test a push rule pattern',
  can: 'signed_in',
  params: {
    rule: choice(...PATTERNS).describe('The rule that the pattern is for'),
    pattern: text({ max: 511 }).describe('The RE2 pattern'),
    text: text({ max: 4096 }).optional().describe('The text to match'),
  },
  returns: ok(PatternTrial),
  run: ({ params }) => testPattern({ ...params, text: params.text ?? '' }),
})
