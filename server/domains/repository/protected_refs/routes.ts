import { atLeastOne, endpoint } from '../../../http/endpoint.ts'
import { bool, text, hash, int, intChoice, list } from '../../../http/params.ts'
import { created, noContent, ok, page } from '../../../http/returns.ts'
import { project } from '../../projects/index.ts'
import { abilities } from '../policy.ts'
import { ProtectedBranch, ProtectedTag } from './entity.ts'
import {
  changeProtection,
  findProtections,
  getProtection,
  protect,
  unprotect,
  type LevelsInput,
  protectByFlags,
  unprotectByName,
} from './service.ts'
import { Branch } from '../refs/entity.ts'
import { getBranch } from '../branches/service.ts'
import { findTagProtections, getTagProtection, protectTag, unprotectTag } from './tags/service.ts'

/** An access level that a protection can require: no one, developers, maintainers, administrators. */
const level = () => intChoice(0, 30, 40, 60)

/** An access level for removing a protection. "No one" is missing, because such a protection could never be removed. */
const unprotectLevel = () => intChoice(30, 40, 60)

/** A list of entries, `[{access_level}]`, `[{user_id}]`, `[{group_id}]` or `[{deploy_key_id}]`. */
const entries = (access_level: ReturnType<typeof level> | ReturnType<typeof unprotectLevel> = level()) =>
  list(
    hash({
      id: int().optional(),
      access_level: access_level.optional(),
      user_id: int().optional(),
      group_id: int().optional(),
      deploy_key_id: int().optional(),
      _destroy: bool().optional(),
    }),
    { max: 100 },
  ).optional()

const name = text({ max: 1100, notEmpty: true }).describe('Name of a branch, or a pattern with `*`')

const levelParams = {
  allowed_to_push: entries().describe(
    'The list of who may push: `{access_level}`, `{user_id}`, `{group_id}` or `{deploy_key_id}`. Add `id` to change an entry, and `_destroy` to delete it',
  ),
  allowed_to_merge: entries().describe('The list of who may merge'),
  allowed_to_unprotect: entries(unprotectLevel()).describe('The list of who may unprotect'),
}
const flags = {
  allow_force_push: bool().optional().describe('Allow force push for all users who may push'),
  code_owner_approval_required: bool()
    .optional()
    .describe('Require merge requests for changes of files with code owners'),
}

function levelsOf(params: {
  allowed_to_push?: LevelsInput['push']
  allowed_to_merge?: LevelsInput['merge']
  allowed_to_unprotect?: LevelsInput['unprotect']
}): LevelsInput {
  return {
    push: params.allowed_to_push,
    merge: params.allowed_to_merge,
    unprotect: params.allowed_to_unprotect,
  }
}

export const listProtectedBranches = endpoint('GET /projects/:id/protected_branches', {
  summary: 'List protected branches',
  scope: project,
  can: abilities.read_protected_branches,
  params: {
    search: text({ max: 1100 }).optional().describe('List only protections with this text in the name'),
  },
  returns: page(ProtectedBranch),
  run: ({ project: owner, params, paging, ...ctx }) => {
    const all = findProtections(ctx, owner, params.search)
    return { rows: all.slice(paging.offset, paging.offset + paging.limit), total: all.length }
  },
})

export const showProtectedBranch = endpoint('GET /projects/:id/protected_branches/:name', {
  summary: 'Get a protected branch',
  scope: project,
  can: abilities.read_protected_branches,
  params: { name },
  returns: ok(ProtectedBranch),
  run: ({ project: owner, params, ...ctx }) => getProtection(ctx, owner, params.name),
})

export const protectBranch = endpoint('POST /projects/:id/protected_branches', {
  summary: 'Protect a branch',
  scope: project,
  can: abilities.manage_protected_branches,
  params: {
    name,
    push_access_level: level()
      .optional()
      .describe('The access level for pushing: 0 no one, 30 developers, 40 maintainers, 60 administrators'),
    merge_access_level: level().optional().describe('The access level for merging'),
    unprotect_access_level: unprotectLevel().optional().describe('The access level for unprotecting'),
    ...flags,
    ...levelParams,
  },
  fails: {
    409: "Protected branch '…' already exists",
    422: 'The name is not a valid branch name, or a user has no access to the project',
  },
  returns: created(ProtectedBranch),
  run: ({ project: owner, params, ...ctx }) => protect(ctx, owner, { ...params, levels: levelsOf(params) }),
})

export const changeProtectedBranch = endpoint('PATCH /projects/:id/protected_branches/:name', {
  summary: 'Update a protected branch',
  scope: project,
  can: abilities.manage_protected_branches,
  params: { name, ...flags, ...levelParams },
  parameterRules: [atLeastOne(...Object.keys(flags), ...Object.keys(levelParams))],
  fails: { 422: 'The entry does not exist, or a user has no access to the project' },
  returns: ok(ProtectedBranch),
  run: ({ project: owner, params, ...ctx }) =>
    changeProtection(ctx, owner, params.name, { ...params, levels: levelsOf(params) }),
})

export const unprotectBranch = endpoint('DELETE /projects/:id/protected_branches/:name', {
  summary: 'Unprotect a branch',
  scope: project,
  can: abilities.manage_protected_branches,
  params: { name },
  returns: noContent,
  run: ({ project: owner, params, ...ctx }) => unprotect(ctx, owner, params.name),
})

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

const tagName = text({ max: 1100, notEmpty: true }).describe('Name of a tag, or a pattern with `*`')

export const listProtectedTags = endpoint('GET /projects/:id/protected_tags', {
  summary: 'List protected tags',
  scope: project,
  can: abilities.read_protected_branches,
  returns: page(ProtectedTag),
  run: ({ project: owner, paging, ...ctx }) => {
    const all = findTagProtections(ctx, owner)
    return { rows: all.slice(paging.offset, paging.offset + paging.limit), total: all.length }
  },
})

export const showProtectedTag = endpoint('GET /projects/:id/protected_tags/:name', {
  summary: 'Get a protected tag',
  scope: project,
  can: abilities.read_protected_branches,
  params: { name: tagName },
  returns: ok(ProtectedTag),
  run: ({ project: owner, params, ...ctx }) => getTagProtection(ctx, owner, params.name),
})

export const postProtectedTag = endpoint('POST /projects/:id/protected_tags', {
  summary: 'Protect a tag',
  scope: project,
  can: abilities.manage_protected_branches,
  params: {
    name: tagName,
    create_access_level: level()
      .optional()
      .describe('The access level for creating: 0 no one, 30 developers, 40 maintainers, 60 administrators'),
    allowed_to_create: entries().describe(
      'The list of who may create: `{access_level}`, `{user_id}`, `{group_id}` or `{deploy_key_id}`',
    ),
  },
  fails: {
    409: "Protected tag '…' already exists",
    422: 'The name is not a valid tag name, or a user has no access to the project',
  },
  returns: created(ProtectedTag),
  run: ({ project: owner, params, ...ctx }) => protectTag(ctx, owner, params),
})

export const deleteProtectedTag = endpoint('DELETE /projects/:id/protected_tags/:name', {
  summary: 'Unprotect a tag',
  scope: project,
  can: abilities.manage_protected_branches,
  params: { name: tagName },
  returns: noContent,
  run: ({ project: owner, params, ...ctx }) => unprotectTag(ctx, owner, params.name),
})
