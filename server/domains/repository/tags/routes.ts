import { endpoint } from '../../../http/endpoint.ts'
import { text } from '../../../http/params.ts'
import { created, noContent, ok, page } from '../../../http/returns.ts'
import { abilities, project } from '../../projects/index.ts'
import { Tag } from './entity.ts'
import { createTag, deleteTag, findTags, getTag, type TagQuery } from './service.ts'

const tag_name = text({ max: 1100 }).describe('Name of the tag')

export const listTags = endpoint('GET /projects/:id/repository/tags', {
  summary: 'List tags',
  scope: project,
  can: abilities.read_code,
  params: {
    search: text({ max: 1100 }).optional().describe('Part of the name; `^x` begins with, `x$` ends with'),
    page_token: text({ max: 1100 }).optional().describe('Name of the last tag of the page before'),
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
    ref: text({ max: 1100 }).describe('Branch, tag or id that the tag points to'),
    message: text().optional().describe('Makes an annotated tag with this message'),
  },
  fails: { 400: 'The tag exists, its name is not valid, or there is no such ref' },
  returns: created(Tag),
  run: ({ project: owner, params, ...ctx }) => createTag(ctx, owner, params),
})

export const removeTag = endpoint('DELETE /projects/:id/repository/tags/:tag_name', {
  summary: 'Delete a tag',
  scope: project,
  can: abilities.push_code,
  params: { tag_name },
  fails: { 400: 'The tag changed meanwhile' },
  returns: noContent,
  run: ({ project: owner, params, http, ...ctx }) =>
    deleteTag(ctx, owner, params.tag_name, (updatedAt) => http.unmodifiedSince(updatedAt)),
})
