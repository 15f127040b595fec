import { z } from 'zod'

import { endpoint, exclusive } from '../../../http/endpoint.ts'
import { bool, text } from '../../../http/params.ts'
import { ok } from '../../../http/returns.ts'
import { project } from '../../projects/index.ts'
import { abilities } from '../policy.ts'
import { changePull, pullMirrorOf, startPull, type PullingProject } from './service.ts'
import { entity, time, row } from '../../../http/entity.ts'
import { maskedUrl } from '../validation.ts'

const RUNNING = ['scheduled', 'started']

/**
 * The pull mirror of a project (spec administration 5.3). `enabled` and the fields after it come from later versions of
 * GitLab.
 */
const PullMirror = entity(
  'PullMirror',
  {
    id: z.int(),
    last_error: z.string().nullable(),
    last_successful_update_at: time().nullable(),
    last_update_at: time().nullable(),
    last_update_started_at: time().nullable(),
    update_status: z.string(),
    url: z.string().nullable(),
    enabled: z.boolean(),
    mirror_trigger_builds: z.boolean(),
    only_mirror_protected_branches: z.boolean(),
    mirror_overwrites_diverged_branches: z.boolean(),
    mirror_branch_regex: z.string().nullable(),
    /** Time of the next automatic update. */
    next_update_at: time().nullable(),
    /** Branches that the last update skipped because they have diverged. */
    diverged_branches: z.array(z.string()),
  },
  row((view: PullingProject) => view.project),
  ({ project, row }) => ({
    last_error: row?.last_error ?? project.import_error,
    last_successful_update_at: row?.last_successful_update_at ?? null,
    last_update_at: row?.last_update_at ?? null,
    last_update_started_at: row?.last_update_started_at ?? null,
    // The import of the project counts as an update.
    update_status: RUNNING.includes(project.import_status)
      ? project.import_status
      : (row?.update_status ?? 'none'),
    url: project.import_url === null ? null : maskedUrl(project.import_url, row?.credentials != null),
    enabled: project.mirror,
    mirror_branch_regex: row?.mirror_branch_regex ?? null,
    next_update_at: row?.next_update_at ?? null,
    diverged_branches: row?.diverged ?? ([] as string[]),
  }),
)

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
