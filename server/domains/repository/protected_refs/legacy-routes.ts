import { endpoint } from '../../../http/endpoint.ts'
import { bool, text } from '../../../http/params.ts'
import { ok } from '../../../http/returns.ts'
import { project } from '../../projects/index.ts'
import { Branch } from '../refs/entity.ts'
import { getBranch } from '../branches/service.ts'
import { abilities } from '../policy.ts'
import { protectByFlags, unprotectByName } from './service.ts'

const branch = text({ max: 1100 }).describe('Name of the branch')
const invalidName = { 400: 'The branch refname is invalid' }

export const protectOneBranch = endpoint('PUT /projects/:id/repository/branches/:branch/protect', {
  summary: 'Protect a branch (deprecated)',
  scope: project,
  can: abilities.manage_protected_branches,
  params: {
    branch,
    developers_can_push: bool().optional().describe('Whether developers may push'),
    developers_can_merge: bool().optional().describe('Whether developers may merge'),
  },
  fails: { ...invalidName, 409: 'Another request has protected the branch in the meantime' },
  returns: ok(Branch),
  run: async ({ project: owner, params, ...ctx }) => {
    await getBranch(ctx, owner, params.branch)
    protectByFlags(ctx, owner, params.branch, params)
    return getBranch(ctx, owner, params.branch)
  },
})

export const unprotectOneBranch = endpoint('PUT /projects/:id/repository/branches/:branch/unprotect', {
  summary: 'Unprotect a branch (deprecated)',
  scope: project,
  can: abilities.manage_protected_branches,
  params: { branch },
  fails: invalidName,
  returns: ok(Branch),
  run: async ({ project: owner, params, ...ctx }) => {
    await getBranch(ctx, owner, params.branch)
    unprotectByName(ctx, owner, params.branch)
    return getBranch(ctx, owner, params.branch)
  },
})
