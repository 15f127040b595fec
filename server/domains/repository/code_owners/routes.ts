import { endpoint } from '../../../http/endpoint.ts'
import { text } from '../../../http/params.ts'
import { ok } from '../../../http/returns.ts'
import { abilities, project } from '../../projects/index.ts'
import { CodeOwnersCheck } from './entity.ts'
import { checkOwners } from './service.ts'

export const validateCodeOwners = endpoint('GET /-/projects/:id/code_owners/validate', {
  summary: 'Validate the CODEOWNERS file',
  scope: project,
  can: abilities.read_code,
  params: {
    ref: text({ max: 1100 }).optional().describe('Branch, tag or id; the default branch otherwise'),
  },
  returns: ok(CodeOwnersCheck),
  run: ({ project: owner, params, ...ctx }) =>
    checkOwners(ctx, owner, params.ref || `refs/heads/${owner.default_branch}`),
})
