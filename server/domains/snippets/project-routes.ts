import { atLeastOne, endpoint, exactlyOne, exclusive } from '../../http/endpoint.ts'
import { created, noContent, ok, page } from '../../http/returns.ts'
import { notFound } from '../../lib/fail.ts'
import { project } from '../projects/index.ts'
import { Snippet, UserAgentDetail } from './entity.ts'
import { checkChange, findIn } from './find.ts'
import {
  changesFrom,
  createParams,
  MAX_BODY,
  newFiles,
  requiredVisibility,
  snippetIdParam,
  timeParams,
  updateParams,
} from './params.ts'
import { abilities } from './policy.ts'
import { createSnippet, deleteSnippet, updateSnippet, viewsOf } from './service.ts'
import * as store from './store.ts'

export const listProjectSnippets = endpoint('GET /projects/:id/snippets', {
  summary: 'List the snippets of a project',
  scope: project,
  can: abilities.read_snippets,
  params: timeParams,
  returns: page(Snippet),
  run: (ctx) => {
    const found = store.list(ctx.db, ctx, { ...ctx.params, project_id: ctx.project.id }, ctx.paging)
    return { rows: viewsOf(ctx, found.rows), total: found.total }
  },
})

export const getProjectSnippet = endpoint('GET /projects/:id/snippets/:snippet_id', {
  summary: 'Get a snippet of a project',
  scope: project,
  can: abilities.read_snippets,
  params: snippetIdParam,
  returns: ok(Snippet),
  run: (ctx) => viewsOf(ctx, [findIn(ctx, ctx.project, ctx.params.snippet_id)])[0]!,
})

export const postProjectSnippet = endpoint('POST /projects/:id/snippets', {
  summary: 'Make a snippet in a project',
  scope: project,
  can: abilities.create_snippet,
  maxBody: MAX_BODY,
  params: { ...createParams, ...requiredVisibility },
  together: [exactlyOne('content', 'files'), exclusive('file_name', 'files')],
  fails: { 400: 'A text is too long, or a file cannot be made' },
  returns: created(Snippet),
  run: async (ctx) => {
    const { params, http } = ctx
    const origin = { user_agent: http.header('user-agent'), ip_address: http.ip }
    const files = newFiles(params)
    const snippet = await createSnippet(ctx, ctx.project, { ...params, files, ...origin })
    return viewsOf(ctx, [snippet])[0]!
  },
})

export const putProjectSnippet = endpoint('PUT /projects/:id/snippets/:snippet_id', {
  summary: 'Change a snippet of a project',
  scope: project,
  can: abilities.change_snippet,
  maxBody: MAX_BODY,
  params: { ...snippetIdParam, ...updateParams },
  together: [
    atLeastOne('content', 'description', 'files', 'file_name', 'title', 'visibility'),
    exclusive('content', 'files'),
    exclusive('file_name', 'files'),
  ],
  fails: { 400: 'A text is too long, or a file cannot be changed' },
  returns: ok(Snippet),
  run: async (ctx) => {
    const { params } = ctx
    const snippet = findIn(ctx, ctx.project, params.snippet_id)
    checkChange(ctx, snippet, ctx.project)
    const updated = await updateSnippet(ctx, snippet, changesFrom(snippet, params))
    return viewsOf(ctx, [updated])[0]!
  },
})

export const deleteProjectSnippet = endpoint('DELETE /projects/:id/snippets/:snippet_id', {
  summary: 'Delete a snippet of a project',
  scope: project,
  can: abilities.change_snippet,
  params: snippetIdParam,
  returns: noContent,
  run: (ctx) => {
    const snippet = findIn(ctx, ctx.project, ctx.params.snippet_id)
    checkChange(ctx, snippet, ctx.project)
    ctx.http.unmodifiedSince(snippet.updated_at)
    deleteSnippet(ctx, snippet)
  },
})

export const getProjectSnippetOrigin = endpoint('GET /projects/:id/snippets/:snippet_id/user_agent_detail', {
  summary: 'Get from where a snippet of a project was made',
  scope: project,
  can: 'admin',
  params: snippetIdParam,
  returns: ok(UserAgentDetail),
  run: (ctx) => {
    const snippet = findIn(ctx, ctx.project, ctx.params.snippet_id)
    if (!snippet.user_agent) throw notFound('UserAgentDetail')
    return snippet
  },
})
