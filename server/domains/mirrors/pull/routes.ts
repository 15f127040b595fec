import { endpoint, exclusive } from '../../../http/endpoint.ts'
import { bool, text } from '../../../http/params.ts'
import { ok } from '../../../http/returns.ts'
import { project } from '../../projects/index.ts'
import { abilities } from '../policy.ts'
import { PullMirror } from './entity.ts'
import { changePull, pullMirrorOf, startPull } from './service.ts'

const fails = { 400: 'The project is not mirrored' }
const settings = {
  mirror_trigger_builds: bool()
    .optional()
    .describe('Trigger pipelines when an update moves branches or tags'),
  only_mirror_protected_branches: bool().optional().describe('Mirror only protected branches'),
  mirror_overwrites_diverged_branches: bool().optional().describe('Overwrite diverged branches'),
  mirror_branch_regex: text({ max: 255 })
    .nullable()
    .optional()
    .describe(
      'Mirror only branches that match this RE2 pattern. Cannot be combined with `only_mirror_protected_branches`',
    ),
}
const parameterRules = [exclusive('only_mirror_protected_branches', 'mirror_branch_regex')]
const changeFails = { 400: 'A value is invalid', 422: 'The URL is invalid' }
const address = text({ max: 2048 }).optional().describe('The URL of the upstream repository')

export const get = endpoint('GET /projects/:id/mirror/pull', {
  summary: 'Get the pull mirror details of a project',
  scope: project,
  can: abilities.read_pull_mirror,
  fails,
  returns: ok(PullMirror),
  run: ({ project: owner, ...ctx }) => pullMirrorOf(ctx, owner),
})

export const start = endpoint('POST /projects/:id/mirror/pull', {
  summary: 'Start the pull mirroring process of a project, or configure it',
  scope: project,
  can: abilities.manage_pull_mirror,
  params: {
    import_url: address,
    mirror: bool().optional().describe('Enable pull mirroring from `import_url`'),
    ...settings,
  },
  parameterRules,
  fails: { ...fails, ...changeFails },
  returns: ok(PullMirror),
  run: ({ project: owner, params, ...ctx }) =>
    params.import_url ? changePull(ctx, owner, { mirror: true, ...params }) : startPull(ctx, owner),
})

export const change = endpoint('PUT /projects/:id/mirror/pull', {
  summary: 'Configure pull mirroring of a project',
  scope: project,
  can: abilities.manage_pull_mirror,
  params: {
    enabled: bool().optional().describe('Enable the pull mirror'),
    url: address,
    auth_user: text({ max: 255 }).optional().describe('The username for the upstream repository'),
    auth_password: text({ max: 1024 })
      .optional()
      .describe('The password or token for the upstream repository'),
    ...settings,
  },
  parameterRules,
  fails: changeFails,
  returns: ok(PullMirror),
  run: ({ project: owner, params: { enabled, url, ...rest }, ...ctx }) =>
    changePull(ctx, owner, { ...rest, mirror: enabled, import_url: url }),
})
