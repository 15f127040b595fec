import { endpoint } from '../../../http/endpoint.ts'
import { text } from '../../../http/params.ts'
import { ok } from '../../../http/returns.ts'
import { abilities, project } from '../../projects/index.ts'
import { CommitDetail } from '../commits/entity.ts'
import { updateSubmodule } from './service.ts'

export const putSubmodule = endpoint('PUT /projects/:id/repository/submodules/:submodule', {
  summary: 'Update a submodule reference',
  scope: project,
  can: abilities.push_code,
  params: {
    submodule: text({ max: 4096 }).describe('Path of the submodule, encoded as one segment'),
    branch: text({ max: 1100, notEmpty: true }).describe('Branch to commit to'),
    commit_sha: text({ max: 64, notEmpty: true }).describe('Full id of a commit of the submodule'),
    commit_message: text().optional().describe('Message of the commit'),
  },
  fails: { 400: 'There is no such submodule, it is there already, or the id is not complete' },
  returns: ok(CommitDetail),
  run: ({ project: owner, params, ...ctx }) => updateSubmodule(ctx, owner, params),
})
