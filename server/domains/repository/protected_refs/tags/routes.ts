import { endpoint } from '../../../../http/endpoint.ts'
import { text } from '../../../../http/params.ts'
import { created, noContent, ok, page } from '../../../../http/returns.ts'
import { project } from '../../../projects/index.ts'
import { abilities } from '../../policy.ts'
import { entries, level } from '../params.ts'
import { ProtectedTag } from '../entity.ts'
import { findTagProtections, getTagProtection, protectTag, unprotectTag } from './service.ts'

const name = text({ max: 1100, notEmpty: true }).describe('Name of a tag, or a pattern with `*`')

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
  params: { name },
  returns: ok(ProtectedTag),
  run: ({ project: owner, params, ...ctx }) => getTagProtection(ctx, owner, params.name),
})

export const postProtectedTag = endpoint('POST /projects/:id/protected_tags', {
  summary: 'Protect a tag',
  scope: project,
  can: abilities.manage_protected_branches,
  params: {
    name,
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
  params: { name },
  returns: noContent,
  run: ({ project: owner, params, ...ctx }) => unprotectTag(ctx, owner, params.name),
})
