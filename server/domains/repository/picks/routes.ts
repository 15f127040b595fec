import { endpoint } from '../../../http/endpoint.ts'
import { as, oneOf } from '../../../http/entity.ts'
import { bool, text } from '../../../http/params.ts'
import { created } from '../../../http/returns.ts'
import { abilities, project } from '../../projects/index.ts'
import { Commit } from '../commits/entity.ts'
import { NO_PUSH } from '../commits/write.ts'
import { DryRun } from './entity.ts'
import { pickCommit } from './service.ts'

const shared = {
  scope: project,
  can: abilities.push_code,
  denied: NO_PUSH,
  params: {
    sha: text({ max: 1100 }).describe('Id of the commit, or the name of a branch or tag'),
    branch: text({ max: 1100, notEmpty: true }).describe('Branch to commit to'),
    dry_run: bool().default(false).describe('Do not commit; check only'),
    message: text().optional().describe('Message of the commit, instead of the usual one'),
  },
  fails: { 400: 'It does not fit the branch, or changes nothing: `error_code` is `conflict` or `empty`' },
  returns: created(oneOf(Commit, DryRun)),
  also: { 200: 'It was only tried' },
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
