import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { as, oneOf, entity } from '../../../http/entity.ts'
import { bool, choice, hash, list, text } from '../../../http/params.ts'
import { created } from '../../../http/returns.ts'
import { fail } from '../../../lib/fail.ts'
import { abilities, fullPath, project, type Project } from '../../projects/index.ts'
import { pickCommit } from './picks.ts'
import { forkRelative } from '../service.ts'
import { CommitDetail, Commit } from './entity.ts'
import { NO_PUSH, refusedPushError, commitFiles } from './write.ts'
import { getCommit } from './service.ts'

/** The answer to a dry run that would succeed. */
const DryRun = entity('DryRun', { dry_run: z.literal('success') }, () => ({ dry_run: 'success' }))

const shared = {
  scope: project,
  can: abilities.push_code,
  forbiddenMessage: NO_PUSH,
  params: {
    sha: text({ max: 1100 }).describe('Id of the commit, or the name of a branch or tag'),
    branch: text({ max: 1100, notEmpty: true }).describe('The branch to commit to'),
    dry_run: bool().default(false).describe('Only check whether the commit is possible'),
    message: text().optional().describe('The commit message, instead of the default one'),
  },
  fails: { 400: 'The change conflicts with the branch, or is empty: `error_code` is `conflict` or `empty`' },
  returns: created(oneOf(Commit, DryRun)),
  otherStatuses: { 200: 'The dry run succeeded' },
}

export const cherryPickCommit = endpoint('POST /projects/:id/repository/commits/:sha/cherry_pick', {
  summary: 'Cherry-pick a commit',
  ...shared,
  run: async ({ project: owner, params, http, ...ctx }) => {
    const commit = await pickCommit(ctx, owner, { kind: 'cherry_pick', ...params })
    if (commit) return as(Commit, commit)
    http.status(200)
    return as(DryRun, {})
  },
})

export const revertCommit = endpoint('POST /projects/:id/repository/commits/:sha/revert', {
  summary: 'Revert a commit',
  ...shared,
  run: async ({ project: owner, params, http, ...ctx }) => {
    const commit = await pickCommit(ctx, owner, { kind: 'revert', ...params })
    if (commit) return as(Commit, commit)
    http.status(200)
    return as(DryRun, {})
  },
})

/** The maximum size of a request body with a commit, in bytes. Larger commits must be pushed. */
const MAX_BODY = 64 * 1024 * 1024

const action = hash({
  action: choice('create', 'delete', 'move', 'update', 'chmod').describe(
    'The action: create, update, move, delete or chmod',
  ),
  file_path: text({ max: 4096, notEmpty: true }).describe('Path of the file'),
  previous_path: text({ max: 4096 }).optional().describe('The current path of a moved file'),
  content: text({ max: MAX_BODY }).optional().describe('New content; optional for a moved file'),
  encoding: choice('text', 'base64').optional().describe('The encoding of the content (default `text`)'),
  last_commit_id: text({ max: 64 })
    .optional()
    .describe('The last known commit of the file. If there is a newer one, the request fails'),
  execute_filemode: bool().optional().describe('Whether the file is executable'),
})

/** Returns the project of the start commit, if it is another project. Throws 403 outside the fork network. */
function startProject(ctx: Ctx, owner: Project, reference: string | undefined): Project | undefined {
  if (!reference) return undefined
  const relative = forkRelative(ctx, owner, reference)
  if (!relative) {
    const reason = `Project is not included in the fork network for ${fullPath(owner)}`
    throw fail('forbidden', `403 Forbidden - ${reason}`)
  }
  return relative.id === owner.id ? undefined : relative
}

export const postCommit = endpoint('POST /projects/:id/repository/commits', {
  summary: 'Create a commit with several files',
  scope: project,
  can: abilities.push_code,
  forbiddenMessage: NO_PUSH,
  maxBody: MAX_BODY,
  params: {
    branch: text({ max: 1100, notEmpty: true }).describe('The branch to commit to'),
    commit_message: text({ notEmpty: true }).describe('The commit message'),
    actions: list(action, { max: 10_000 }).describe('The changes of files, in order'),
    start_branch: text({ max: 1100 }).optional().describe('The branch to start a new branch from'),
    start_sha: text({ max: 64 }).optional().describe('The commit to start a new branch from'),
    start_project: text({ max: 1100 })
      .optional()
      .describe('The project to start from, in the same fork network (default: this project)'),
    author_email: text({ max: 1000 })
      .optional()
      .describe('The email address of the author (default: that of the current user)'),
    author_name: text({ max: 1000 })
      .optional()
      .describe('The name of the author (default: that of the current user)'),
    stats: bool().default(true).describe('Include the number of lines added and removed'),
    force: bool().default(false).describe('Overwrite the branch if it exists'),
  },
  parameterRules: [{ rule: 'exclusive', names: ['start_branch', 'start_sha'] }],
  fails: { 400: 'A file already exists or is missing, has changed in the meantime, or a name is invalid' },
  returns: created(CommitDetail),
  run: async ({ project: owner, params, ...ctx }) => {
    const start_project = startProject(ctx, owner, params.start_project)
    const commit = await commitFiles(ctx, owner, { ...params, start_project }, refusedPushError)
    return getCommit(ctx, owner, commit.id, params.stats)
  },
})
