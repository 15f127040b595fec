import type { Ctx } from '../../ctx.ts'
import { atLeastOne, endpoint, exactlyOne, exclusive } from '../../http/endpoint.ts'
import { created, noContent, ok, page, type Paging } from '../../http/returns.ts'
import { fail, notFound } from '../../lib/fail.ts'
import {
  awardEndpoints,
  discussionEndpoints,
  type NoteableKind,
  noteEndpoints,
} from '../discussions/index.ts'
import { project } from '../projects/index.ts'
import { Snippet, UserAgentDetail } from './entity.ts'
import {
  changesFrom,
  createParams,
  idParam,
  MAX_BODY,
  newFiles,
  requiredVisibility,
  snippetIdParam,
  timeParams,
  updateParams,
  visibilityParam,
} from './params.ts'
import { abilities } from './policy.ts'
import {
  checkChange,
  createSnippet,
  deleteSnippet,
  findIn,
  findSnippet,
  updateSnippet,
  viewsOf,
} from './service.ts'
import * as store from './store.ts'

/** Returns one page of the snippets that match a filter and that the caller may see. */
function snippetPage(ctx: Ctx & { paging: Paging }, filter: store.SnippetFilter) {
  const result = store.list(ctx.db, ctx, filter, ctx.paging)
  return { rows: viewsOf(ctx, result.rows), total: result.total }
}

export const listProjectSnippets = endpoint('GET /projects/:id/snippets', {
  summary: 'List project snippets',
  scope: project,
  can: abilities.read_snippets,
  params: timeParams,
  returns: page(Snippet),
  run: (ctx) => snippetPage(ctx, { ...ctx.params, project_id: ctx.project.id }),
})

export const getProjectSnippet = endpoint('GET /projects/:id/snippets/:snippet_id', {
  summary: 'Get a project snippet',
  scope: project,
  can: abilities.read_snippets,
  params: snippetIdParam,
  returns: ok(Snippet),
  run: (ctx) => viewsOf(ctx, [findIn(ctx, ctx.project, ctx.params.snippet_id)])[0]!,
})

export const postProjectSnippet = endpoint('POST /projects/:id/snippets', {
  summary: 'Create a project snippet',
  scope: project,
  can: abilities.create_snippet,
  maxBody: MAX_BODY,
  params: { ...createParams, ...requiredVisibility },
  parameterRules: [exactlyOne('content', 'files'), exclusive('file_name', 'files')],
  fails: { 400: 'A text is too long, or a file is not valid' },
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
  summary: 'Update a project snippet',
  scope: project,
  can: abilities.change_snippet,
  maxBody: MAX_BODY,
  params: { ...snippetIdParam, ...updateParams },
  parameterRules: [
    atLeastOne('content', 'description', 'files', 'file_name', 'title', 'visibility'),
    exclusive('content', 'files'),
    exclusive('file_name', 'files'),
  ],
  fails: { 400: 'A text is too long, or a file change is not valid' },
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
  summary: 'Delete a project snippet',
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
  summary: 'Get user agent details of a project snippet',
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

export const listSnippets = endpoint('GET /snippets', {
  summary: 'List the snippets of the current user',
  can: 'signed_in',
  params: timeParams,
  returns: page(Snippet),
  run: (ctx) => snippetPage(ctx, { ...ctx.params, author_id: ctx.actor.id! }),
})

export const listPublicSnippets = endpoint('GET /snippets/public', {
  summary: 'List public snippets',
  can: 'signed_in',
  params: timeParams,
  returns: page(Snippet),
  run: (ctx) => snippetPage(ctx, { ...ctx.params, visibility: 'public' }),
})

export const listAllSnippets = endpoint('GET /snippets/all', {
  summary: 'List all snippets that the current user may see',
  can: 'signed_in',
  params: timeParams,
  returns: page(Snippet),
  run: (ctx) => snippetPage(ctx, ctx.params),
})

export const getSnippet = endpoint('GET /snippets/:id', {
  summary: 'Get a snippet',
  can: 'anyone',
  params: idParam,
  returns: ok(Snippet),
  run: (ctx) => viewsOf(ctx, [findSnippet(ctx, ctx.params.id).snippet])[0]!,
})

export const postSnippet = endpoint('POST /snippets', {
  summary: 'Create a snippet',
  can: 'signed_in',
  maxBody: MAX_BODY,
  params: { ...createParams, ...visibilityParam },
  parameterRules: [exactlyOne('content', 'files'), exclusive('file_name', 'files')],
  fails: { 400: 'A text is too long, or a file is not valid' },
  returns: created(Snippet),
  run: async (ctx) => {
    const { params, http } = ctx
    if (ctx.actor.external) throw fail('forbidden')
    const origin = { user_agent: http.header('user-agent'), ip_address: http.ip }
    const files = newFiles(params)
    const snippet = await createSnippet(ctx, undefined, { ...params, files, ...origin })
    return viewsOf(ctx, [snippet])[0]!
  },
})

export const putSnippet = endpoint('PUT /snippets/:id', {
  summary: 'Update a snippet',
  can: 'anyone',
  maxBody: MAX_BODY,
  params: { ...idParam, ...updateParams },
  parameterRules: [
    atLeastOne('content', 'description', 'files', 'file_name', 'title', 'visibility'),
    exclusive('content', 'files'),
    exclusive('file_name', 'files'),
  ],
  fails: { 400: 'A text is too long, or a file change is not valid' },
  returns: ok(Snippet),
  run: async (ctx) => {
    const { params } = ctx
    const { snippet, project } = findSnippet(ctx, params.id)
    checkChange(ctx, snippet, project)
    const updated = await updateSnippet(ctx, snippet, changesFrom(snippet, params))
    return viewsOf(ctx, [updated])[0]!
  },
})

export const removeSnippet = endpoint('DELETE /snippets/:id', {
  summary: 'Delete a snippet',
  can: 'anyone',
  params: idParam,
  returns: noContent,
  run: (ctx) => {
    const { snippet, project } = findSnippet(ctx, ctx.params.id)
    checkChange(ctx, snippet, project)
    ctx.http.unmodifiedSince(snippet.updated_at)
    deleteSnippet(ctx, snippet)
  },
})

export const getSnippetOrigin = endpoint('GET /snippets/:id/user_agent_detail', {
  summary: 'Get user agent details of a snippet',
  can: 'admin',
  params: idParam,
  returns: ok(UserAgentDetail),
  run: (ctx) => {
    const { snippet } = findSnippet(ctx, ctx.params.id)
    if (!snippet.user_agent) throw notFound('UserAgentDetail')
    return snippet
  },
})

/** Notes on project snippets: only threads have replies, and nothing is resolvable (spec core 5.5). */
const kind: NoteableKind = {
  path: '/snippets/:snippet_id',
  title: 'snippet',
  params: snippetIdParam,
  read: abilities.read_snippets,
  write: abilities.comment_snippet,
  load(ctx, project, params) {
    const { id } = findIn(ctx, project, Number(params['snippet_id']))
    return { type: 'Snippet', project_id: project.id, id, sha: null, iid: null }
  },
  singleNotesCanBeAnswered: false,
  threadsResolve: false,
  notesCanBeInternal: false,
}

export const snippetNotes = noteEndpoints(kind)

export const snippetDiscussions = discussionEndpoints(kind)

export const snippetAwards = awardEndpoints(kind)
