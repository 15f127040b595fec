import { endpoint, exclusive } from '../../../http/endpoint.ts'
import { bool, text } from '../../../http/params.ts'
import { ok } from '../../../http/returns.ts'
import { project } from '../../projects/index.ts'
import { abilities } from '../policy.ts'
import { PullMirror } from './entity.ts'
import { changePull, pullMirrorOf, startPull } from './service.ts'

const fails = { 400: 'The project is not mirrored' }
const changeable = {
  mirror_trigger_builds: bool().optional().describe('What was pulled starts pipelines'),
  only_mirror_protected_branches: bool().optional().describe('Only protected branches are pulled'),
  mirror_overwrites_diverged_branches: bool()
    .optional()
    .describe('What was pulled replaces branches that went another way'),
  mirror_branch_regex: text({ max: 255 })
    .nullable()
    .optional()
    .describe(
      'Only branches whose name matches are pulled (RE2); not beside `only_mirror_protected_branches`',
    ),
}
const together = [exclusive('only_mirror_protected_branches', 'mirror_branch_regex')]
const changeFails = { 400: 'A value is not acceptable', 422: 'The address to pull from is none' }
const address = text({ max: 2048 }).optional().describe('Address to pull from')

export const get = endpoint('GET /projects/:id/mirror/pull', {
  summary: 'Show how following a repository elsewhere goes',
  scope: project,
  can: abilities.read_pull_mirror,
  fails,
  returns: ok(PullMirror),
  run: ({ project: owner, ...ctx }) => pullMirrorOf(ctx, owner),
})

export const start = endpoint('POST /projects/:id/mirror/pull', {
  summary:
    'Have a project brought to what it follows, at most every five minutes; or have it follow an address',
  scope: project,
  can: abilities.manage_pull_mirror,
  params: {
    import_url: address,
    mirror: bool().optional().describe('With `import_url`: it follows that from now on'),
    ...changeable,
  },
  together,
  fails: { ...fails, ...changeFails },
  returns: ok(PullMirror),
  run: ({ project: owner, params, ...ctx }) =>
    params.import_url ? changePull(ctx, owner, { mirror: true, ...params }) : startPull(ctx, owner),
})

export const change = endpoint('PUT /projects/:id/mirror/pull', {
  summary: 'Change from where and how a project is updated',
  scope: project,
  can: abilities.manage_pull_mirror,
  params: {
    enabled: bool().optional().describe('The project follows the address'),
    url: address,
    auth_user: text({ max: 255 }).optional().describe('User name there'),
    auth_password: text({ max: 1024 }).optional().describe('Password or token there'),
    ...changeable,
  },
  together,
  fails: changeFails,
  returns: ok(PullMirror),
  run: ({ project: owner, params: { enabled, url, ...rest }, ...ctx }) =>
    changePull(ctx, owner, { ...rest, mirror: enabled, import_url: url }),
})
