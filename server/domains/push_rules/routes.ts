import { atLeastOne, endpoint } from '../../http/endpoint.ts'
import { bool, choice, int, text } from '../../http/params.ts'
import { created, noContent, ok } from '../../http/returns.ts'
import { fail, notFound } from '../../lib/fail.ts'
import { group } from '../groups/index.ts'
import { project } from '../projects/index.ts'
import { orNone, PatternTrial, ProjectPushRule, PushRule } from './entity.ts'
import { abilities, groupAbilities } from './policy.ts'
import { createRule, removeRule, ruleAt, tryPattern, updateRule } from './service.ts'
import { PATTERNS } from './types.ts'

const pattern = (what: string) =>
  text().nullable().optional().describe(`${what}; a pattern of RE2, found anywhere; empty for off`)
const following = (what: string) =>
  bool().nullable().optional().describe(`${what}; null follows the rule of the instance`)

const params = {
  deny_delete_tag: bool().optional().describe('Tags are not removed with `git push`'),
  member_check: bool().optional().describe('Authors have to be users of this instance'),
  prevent_secrets: bool().optional().describe('Files whose names say that they hold secrets are refused'),
  commit_message_regex: pattern('Messages of commits have this'),
  commit_message_negative_regex: pattern('Messages of commits do not have this'),
  branch_name_regex: pattern('Names of new branches have this'),
  author_email_regex: pattern('Addresses of authors and committers have this'),
  file_name_regex: pattern('Paths of new files do not have this'),
  max_file_size: int().optional().describe('Largest new file, MB; 0 for any'),
  commit_committer_check: following('Who pushes commits has committed them, by a confirmed address'),
  commit_committer_name_check: following('The name of the committer is the one of who pushes'),
  reject_unsigned_commits: following('Commits are signed'),
  reject_non_dco_commits: following('Messages are signed off'),
}

const together = [atLeastOne(...Object.keys(params))]
const fails = { 400: 'A pattern or size is not acceptable' }
const exists = (text: string) => ({ ...fails, 422: text })

const ofProject = { scope: project, can: abilities.manage_push_rule } as const
const ofGroup = { scope: group, can: groupAbilities.manage_group_push_rule } as const

const placeOfProject = (ctx: { project: { id: number } }) => ({ project_id: ctx.project.id, group_id: null })
const placeOfGroup = (ctx: { group: { id: number } }) => ({ project_id: null, group_id: ctx.group.id })
const INSTANCE = { project_id: null, group_id: null }

export const getProjectRule = endpoint('GET /projects/:id/push_rule', {
  ...ofProject,
  summary: 'Get the push rule of a project, or null',
  returns: ok(orNone(ProjectPushRule)),
  run: (ctx) => ruleAt(ctx, placeOfProject(ctx)) ?? null,
})

const PROJECT_HAS_ONE = 'Project push rule exists'

export const createProjectRule = endpoint('POST /projects/:id/push_rule', {
  ...ofProject,
  summary: 'Add the push rule of a project',
  params,
  together,
  fails: exists(PROJECT_HAS_ONE),
  returns: created(ProjectPushRule),
  run: (ctx) => {
    if (ruleAt(ctx, placeOfProject(ctx))) throw fail('unprocessable', PROJECT_HAS_ONE)
    return createRule(ctx, placeOfProject(ctx), ctx.params)
  },
})

export const updateProjectRule = endpoint('PUT /projects/:id/push_rule', {
  ...ofProject,
  summary: 'Change the push rule of a project',
  params,
  together,
  fails,
  returns: ok(ProjectPushRule),
  run: (ctx) => {
    const rule = ruleAt(ctx, placeOfProject(ctx))
    if (!rule) throw notFound('Push rule')
    return updateRule(ctx, rule.row, ctx.params)
  },
})

export const removeProjectRule = endpoint('DELETE /projects/:id/push_rule', {
  ...ofProject,
  summary: 'Remove the push rule of a project',
  returns: noContent,
  run: (ctx) => {
    const rule = ruleAt(ctx, placeOfProject(ctx))
    if (!rule) throw notFound('Push rule')
    ctx.http.unmodifiedSince(rule.row.updated_at)
    removeRule(ctx, rule.row)
  },
})

export const getGroupRule = endpoint('GET /groups/:id/push_rule', {
  ...ofGroup,
  summary: 'Get the push rule of a group',
  returns: ok(PushRule),
  run: (ctx) => {
    const rule = ruleAt(ctx, placeOfGroup(ctx))
    if (!rule) throw notFound()
    return rule
  },
})

const GROUP_HAS_ONE = 'Group push rule exists, try updating'

export const createGroupRule = endpoint('POST /groups/:id/push_rule', {
  ...ofGroup,
  summary: 'Add the push rule of a group, which new projects in it begin with',
  params,
  together,
  fails: exists(GROUP_HAS_ONE),
  returns: created(PushRule),
  run: (ctx) => {
    if (ruleAt(ctx, placeOfGroup(ctx))) throw fail('unprocessable', GROUP_HAS_ONE)
    return createRule(ctx, placeOfGroup(ctx), ctx.params)
  },
})

export const updateGroupRule = endpoint('PUT /groups/:id/push_rule', {
  ...ofGroup,
  summary: 'Change the push rule of a group',
  params,
  together,
  fails,
  returns: ok(PushRule),
  run: (ctx) => {
    const rule = ruleAt(ctx, placeOfGroup(ctx))
    if (!rule) throw notFound()
    return updateRule(ctx, rule.row, ctx.params)
  },
})

export const removeGroupRule = endpoint('DELETE /groups/:id/push_rule', {
  ...ofGroup,
  summary: 'Remove the push rule of a group',
  returns: noContent,
  run: (ctx) => {
    const rule = ruleAt(ctx, placeOfGroup(ctx))
    if (!rule) throw notFound()
    ctx.http.unmodifiedSince(rule.row.updated_at)
    removeRule(ctx, rule.row)
  },
})

export const getInstanceRule = endpoint('GET /-/admin/push_rule', {
  summary: 'Get the push rule that new groups and projects begin with, or null',
  can: 'admin',
  returns: ok(orNone(PushRule)),
  run: (ctx) => ruleAt(ctx, INSTANCE) ?? null,
})

export const setInstanceRule = endpoint('PUT /-/admin/push_rule', {
  summary: 'Make or change the push rule that new groups and projects begin with',
  can: 'admin',
  params,
  together,
  fails,
  returns: ok(PushRule),
  run: (ctx) => {
    const rule = ruleAt(ctx, INSTANCE)
    return rule ? updateRule(ctx, rule.row, ctx.params) : createRule(ctx, INSTANCE, ctx.params)
  },
})

export const removeInstanceRule = endpoint('DELETE /-/admin/push_rule', {
  summary: 'Remove the push rule of the instance',
  can: 'admin',
  returns: noContent,
  run: (ctx) => {
    const rule = ruleAt(ctx, INSTANCE)
    if (!rule) throw notFound('Push rule')
    removeRule(ctx, rule.row)
  },
})

export const tryRule = endpoint('POST /-/push_rules/trial', {
  summary: 'Try a pattern of push rules on a text',
  can: 'signed_in',
  params: {
    rule: choice(...PATTERNS).describe('What the pattern is for'),
    pattern: text({ max: 511 }).describe('The pattern'),
    text: text({ max: 4096 }).optional().describe('What it is tried on'),
  },
  returns: ok(PatternTrial),
  run: ({ params: given }) => tryPattern({ ...given, text: given.text ?? '' }),
})
