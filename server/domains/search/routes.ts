import type { Ctx } from '../../ctx.ts'
import { endpoint, type Endpoint } from '../../http/endpoint.ts'
import { as, oneOf, type Shown } from '../../http/entity.ts'
import { bool, choice, text } from '../../http/params.ts'
import { page, type Paging, type Rows } from '../../http/returns.ts'
import { group } from '../groups/index.ts'
import { Issue } from '../planning/issues/entity.ts'
import { MergeRequestBasic } from '../merge_requests/entity.ts'
import { Milestone } from '../planning/milestones/entity.ts'
import { namespaceTreeIds } from '../namespaces/index.ts'
import { Note } from '../discussions/notes/entity.ts'
import { findProjects, fullPath, project, viewsOf as projectViews, type Project } from '../projects/index.ts'
import { ProjectSimple } from '../projects/entity.ts'
import { Commit } from '../repository/commits/entity.ts'
import { listSnippetRows, snippetViews } from '../snippets/index.ts'
import { Snippet } from '../snippets/entity.ts'
import { searching } from '../users/index.ts'
import { UserBasic } from '../users/entity.ts'
import { searchBlobs, searchCommits, searchWiki } from './code.ts'
import { BlobHit } from './entity.ts'
import {
  issuesFound,
  milestonesFound,
  notesFound,
  requestsFound,
  type Search,
  type SearchScope,
} from './planned.ts'
import { GROUP_SCOPES, INSTANCE_SCOPES, PROJECT_SCOPES } from './scopes.ts'
import { checkedText, checkReadsCode, checkReadsWiki, checkScope } from './service.ts'
import * as store from './store.ts'

const searchParams = {
  scope: text({ max: 50 }).describe('What to search'),
  search: text().describe('What to find'),
  state: choice('opened', 'closed', 'locked', 'merged', 'all')
    .optional()
    .describe('Only issues and merge requests in this state'),
  confidential: bool().optional().describe('Only confidential issues, or only others'),
  order_by: choice('created_at').optional().describe('Order of the results'),
  sort: choice('asc', 'desc').optional().describe('Direction of the order'),
}

const nothing: Rows<Shown> = { rows: [], total: 0 }

function projectsFound(ctx: Ctx & { paging: Paging }, search: string, namespace_ids?: number[]): Rows<Shown> {
  const order = { ...ctx.paging, order_by: 'similarity', sort: 'desc' as const, keyset: false }
  const request = { search, search_namespaces: true, archived: false }
  const found = findProjects(ctx, { ...request, ...(namespace_ids ? { namespace_ids } : {}) }, order)
  const rows = projectViews(ctx, found.rows, {}).map((view) => as(ProjectSimple, view) as Shown)
  return { rows, total: found.total }
}

function usersFound(ctx: Ctx & { paging: Paging }, search: string, scope: store.UserScope): Rows<Shown> {
  const { rows, total } = store.users(ctx.db, search, scope, ctx.paging)
  return { rows: rows.map((row) => as(UserBasic, row) as Shown), total }
}

function snippetsFound(ctx: Ctx & { paging: Paging }, search: string): Rows<Shown> {
  const { rows, total } = listSnippetRows(ctx.db, ctx, { search }, ctx.paging)
  return { rows: snippetViews(ctx, rows).map((view) => as(Snippet, view) as Shown), total }
}

const fails = { 400: 'The scope is none, or the text is empty or too long' }

/** Scopes of what is planned, which all three levels have; undefined for every other scope. */
function plannedFound(
  ctx: Ctx & { paging: Paging },
  scope: string,
  wanted: Search,
  place: SearchScope,
): Rows<Shown> | Promise<Rows<Shown>> | undefined {
  if (scope === 'issues') return issuesFound(ctx, wanted, place)
  if (scope === 'merge_requests') return requestsFound(ctx, wanted, place)
  return scope === 'milestones' ? milestonesFound(ctx, wanted, place) : undefined
}

export const searchInstance = endpoint('GET /search', {
  summary: 'Search the instance',
  can: 'signed_in',
  params: searchParams,
  limit: searching,
  fails,
  returns: page(oneOf(ProjectSimple, Issue, MergeRequestBasic, Milestone, UserBasic, Snippet)),
  run: (ctx): Rows<Shown> | Promise<Rows<Shown>> => {
    const scope = checkScope(ctx.params.scope, INSTANCE_SCOPES)
    const search = checkedText(ctx.params.search)
    if (scope === 'projects') return projectsFound(ctx, search)
    if (scope === 'users') return usersFound(ctx, search, {})
    if (scope === 'snippet_titles') return snippetsFound(ctx, search)
    return plannedFound(ctx, scope, { ...ctx.params, search }, {})!
  },
})

/** Both addresses of a search below an owner; the one with `/-/` is the older one. */
function bothPaths(make: (path: '/search' | '/-/search') => Endpoint): Endpoint[] {
  return [make('/search'), make('/-/search')]
}

export const searchGroup = bothPaths((path) =>
  endpoint(`GET /groups/:id${path}`, {
    summary: 'Search a group and everything below it',
    scope: group,
    can: 'signed_in',
    params: searchParams,
    limit: searching,
    fails,
    returns: page(oneOf(ProjectSimple, Issue, MergeRequestBasic, Milestone, UserBasic)),
    run: (ctx): Rows<Shown> | Promise<Rows<Shown>> => {
      const scope = checkScope(ctx.params.scope, GROUP_SCOPES)
      const search = checkedText(ctx.params.search)
      const ids = namespaceTreeIds(ctx.db, ctx.group.id)
      if (scope === 'projects') return projectsFound(ctx, search, ids)
      const above = JSON.parse(ctx.group.lineage) as number[]
      if (scope === 'users') return usersFound(ctx, search, { namespace_ids: [...above, ...ids] })
      const place = { namespace_ids: ids, path: ctx.group.full_path }
      return plannedFound(ctx, scope, { ...ctx.params, search }, place)!
    },
  }),
)

export const searchProject = bothPaths((path) =>
  endpoint(`GET /projects/:id${path}`, {
    summary: 'Search a project',
    scope: project,
    can: 'signed_in',
    params: {
      ...searchParams,
      ref: text({ max: 1100 }).optional().describe('Branch, tag or commit to search code in'),
    },
    limit: searching,
    fails,
    returns: page(oneOf(BlobHit, Commit, Issue, MergeRequestBasic, Milestone, Note, UserBasic)),
    run: async (ctx): Promise<Rows<Shown>> => {
      const { project: owner, params } = ctx
      const scope = checkScope(params.scope, PROJECT_SCOPES)
      const search = checkedText(params.search)
      if (scope === 'users') {
        const above = JSON.parse(owner.lineage) as number[]
        return usersFound(ctx, search, { project_id: owner.id, namespace_ids: above })
      }
      if (scope === 'blobs' || scope === 'commits' || scope === 'wiki_blobs')
        return codeFound(ctx, scope, search)
      const wanted = { ...params, search }
      if (scope === 'notes') return notesFound(ctx, wanted, owner)
      return (await plannedFound(ctx, scope, wanted, { project: owner })) ?? nothing
    },
  }),
)

interface CodeContext extends Ctx {
  readonly project: Project
  readonly params: { readonly ref?: string }
  readonly paging: Paging
  readonly http: { readonly signal: AbortSignal }
}

async function codeFound(
  ctx: CodeContext,
  scope: 'blobs' | 'commits' | 'wiki_blobs',
  search: string,
): Promise<Rows<Shown>> {
  const { project: owner, params, paging, http } = ctx
  if (scope === 'wiki_blobs') checkReadsWiki(ctx, owner)
  else checkReadsCode(ctx, owner)
  const query = { search, ref: params.ref || undefined, signal: http.signal }
  if (scope !== 'commits') {
    const found = scope === 'blobs' ? searchBlobs : searchWiki
    const { rows, total } = await found(ctx, owner, query, paging)
    return { rows: rows.map((row) => as(BlobHit, row) as Shown), total }
  }
  const commits = await searchCommits(ctx, owner, query, paging)
  const place = { path: fullPath(owner), project_id: owner.id }
  return { rows: commits.map((commit) => as(Commit, { commit, ...place }) as Shown) }
}
