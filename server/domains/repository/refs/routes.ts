import { endpoint } from '../../../http/endpoint.ts'
import { choice, list, text } from '../../../http/params.ts'
import { accepted, created, noContent, ok, page } from '../../../http/returns.ts'
import { abilities, project } from '../../projects/index.ts'
import {
  createBranch,
  deleteBranch,
  findBranches,
  findDivergence,
  getBranch,
  removeMergedBranches,
} from '../branches/service.ts'
import { createTag, deleteTag, findTags, getTag, type TagQuery } from '../tags/service.ts'
import { Branch, BranchDivergence, Tag } from './entity.ts'

const tag_name = text({ max: 1100 }).describe('Name of the tag')

export const listTags = endpoint('GET /projects/:id/repository/tags', {
  summary: 'List tags',
  scope: project,
  can: abilities.read_code,
  params: {
    search: text({ max: 1100 })
      .optional()
      .describe('Part of the name; `^x` finds names that begin with it, `x$` names that end with it'),
    page_token: text({ max: 1100 }).optional().describe('Name of the last tag of the previous page'),
  },
  returns: page(Tag, {
    order_by: ['updated', 'name', 'version'],
    sort: 'desc',
    keyset: ['updated', 'name', 'version'],
  }),
  run: ({ project: owner, params, paging, ...ctx }) =>
    findTags(
      ctx,
      owner,
      { search: params.search, order_by: paging.order_by as TagQuery['order_by'], sort: paging.sort },
      { ...paging, token: params.page_token },
    ),
})

export const showTag = endpoint('GET /projects/:id/repository/tags/:tag_name', {
  summary: 'Get a tag',
  scope: project,
  can: abilities.read_code,
  params: { tag_name },
  returns: ok(Tag),
  run: ({ project: owner, params, ...ctx }) => getTag(ctx, owner, params.tag_name),
})

export const postTag = endpoint('POST /projects/:id/repository/tags', {
  summary: 'Create a tag',
  scope: project,
  can: abilities.push_code,
  params: {
    tag_name,
    ref: text({ max: 1100 }).describe('Branch, tag or commit id that the tag points to'),
    message: text().optional().describe('Creates an annotated tag with this message'),
  },
  fails: { 400: 'The tag already exists, its name is invalid, or the ref does not exist' },
  returns: created(Tag),
  run: ({ project: owner, params, ...ctx }) => createTag(ctx, owner, params),
})

export const removeTag = endpoint('DELETE /projects/:id/repository/tags/:tag_name', {
  summary: 'Delete a tag',
  scope: project,
  can: abilities.push_code,
  params: { tag_name },
  fails: { 400: 'The tag has changed in the meantime' },
  returns: noContent,
  run: ({ project: owner, params, http, ...ctx }) =>
    deleteTag(ctx, owner, params.tag_name, (updatedAt) => http.unmodifiedSince(updatedAt)),
})

const branch = text({ max: 1100 }).describe('Name of the branch')

export const listBranches = endpoint('GET /projects/:id/repository/branches', {
  summary: 'List branches',
  scope: project,
  can: abilities.read_code,
  params: {
    search: text({ max: 1100 })
      .optional()
      .describe('Part of the name; `^x` finds names that begin with it, `x$` names that end with it'),
    regex: text({ max: 1100 }).optional().describe('Regular expression (RE2) that the name must match'),
    sort: choice('name_asc', 'updated_asc', 'updated_desc')
      .optional()
      .describe('The order (default: by name)'),
    page_token: text({ max: 1100 }).optional().describe('Name of the last branch of the previous page'),
  },
  returns: page(Branch, { keyset: ['id'] }),
  run: ({ project: owner, params, paging, ...ctx }) =>
    findBranches(ctx, owner, params, { ...paging, token: params.page_token }),
})

export const listDivergence = endpoint('GET /-/projects/:id/repository/divergence', {
  summary: 'Count the commits that branches have ahead of and behind the default branch',
  scope: project,
  can: abilities.read_code,
  params: { of: list(branch, { max: 50 }).describe('Names of branches; unknown ones are left out') },
  returns: page(BranchDivergence, { paging: 'none' }),
  run: async ({ project: owner, params, ...ctx }) => {
    const rows = await findDivergence(ctx, owner, params.of)
    return { rows, total: rows.length }
  },
})

export const showBranch = endpoint('GET /projects/:id/repository/branches/:branch', {
  summary: 'Get a branch',
  scope: project,
  can: abilities.read_code,
  params: { branch },
  fails: { 400: 'The branch refname is invalid' },
  head: 204,
  returns: ok(Branch),
  run: ({ project: owner, params, ...ctx }) => getBranch(ctx, owner, params.branch),
})

export const postBranch = endpoint('POST /projects/:id/repository/branches', {
  summary: 'Create a branch',
  scope: project,
  can: abilities.push_code,
  params: {
    branch,
    ref: text({ max: 1100 }).describe('Branch, tag or commit id that the new branch starts from'),
  },
  fails: { 400: 'The branch already exists, its name is invalid, or the ref does not exist' },
  returns: created(Branch),
  run: ({ project: owner, params, ...ctx }) => createBranch(ctx, owner, params),
})

export const removeBranch = endpoint('DELETE /projects/:id/repository/branches/:branch', {
  summary: 'Delete a branch',
  scope: project,
  can: abilities.push_code,
  params: { branch },
  fails: {
    400: 'The branch refname is invalid',
    405: 'The branch is protected or the default branch',
  },
  returns: noContent,
  run: ({ project: owner, params, http, ...ctx }) =>
    deleteBranch(ctx, owner, params.branch, (updatedAt) => http.unmodifiedSince(updatedAt)),
})

export const removeMerged = endpoint('DELETE /projects/:id/repository/merged_branches', {
  summary: 'Delete all merged branches',
  scope: project,
  can: abilities.push_code,
  fails: { 400: 'A branch has changed in the meantime' },
  returns: accepted,
  run: ({ project: owner, ...ctx }) => removeMergedBranches(ctx, owner),
})
