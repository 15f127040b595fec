import { z } from 'zod'

import { endpoint, type Endpoint } from '../../http/endpoint.ts'
import { oneOf, type PresentedRow, entity } from '../../http/entity.ts'
import { bool, choice, text, int, list } from '../../http/params.ts'
import { page, type Rows } from '../../http/returns.ts'
import { group } from '../groups/index.ts'
import { Issue } from '../planning/issues/entity.ts'
import { MergeRequestBasic } from '../merge_requests/entity.ts'
import { Milestone } from '../planning/milestones/entity.ts'
import { namespaceTreeIds } from '../namespaces/index.ts'
import { Note } from '../discussions/notes/entity.ts'
import { project } from '../projects/index.ts'
import { ProjectSimple } from '../projects/entity.ts'
import { Commit } from '../repository/commits/entity.ts'
import { Snippet } from '../snippets/entity.ts'
import { userSearchLimit } from '../users/index.ts'
import { UserBasic } from '../users/entity.ts'
import { BlobHit } from './entity.ts'
import {
  searchCode,
  searchCodeOfProjects,
  searchNotes,
  searchIssuables,
  searchProjectRows,
  searchSnippets,
  searchUsers,
} from './routes-results.ts'
import { jumpTargets, type JumpRow } from './service-jump.ts'
import { GROUP_SCOPES, INSTANCE_SCOPES, PROJECT_SCOPES, checkedText, checkScope } from './service.ts'

const JumpTarget = entity(
  'JumpTarget',
  {
    kind: z.enum(['merge_request', 'issue', 'branch', 'file', 'user']),
    key: z.string(),
    title: z.string(),
    reference: z.string().nullable(),
    state: z.string().nullable(),
    project_path: z.string().nullable(),
    to: z.string(),
  },
  (row: JumpRow) => row,
)

export const jump = endpoint('GET /-/jump', {
  summary: 'Find merge requests, issues, users, branches and files for the palette',
  can: 'signed_in',
  params: {
    search: text({ max: 200 }).describe('Words of a title, a number such as `!5`, or part of a name or path'),
    project_ids: list(int({ min: 1 }), { max: 20 })
      .optional()
      .describe('Projects in which to search branches and files. The current project comes first'),
  },
  limit: userSearchLimit,
  fails: { 400: 'The text is empty' },
  returns: page(JumpTarget, { paging: 'none' }),
  run: async (ctx) => {
    const { search, project_ids = [] } = ctx.params
    const rows = await jumpTargets(ctx, { search: checkedText(search), project_ids })
    return { rows, total: rows.length }
  },
})

const searchParams = {
  scope: text({ max: 50 }).describe('The scope of the search'),
  search: text().describe('The search term'),
  state: choice('opened', 'closed', 'locked', 'merged', 'all')
    .optional()
    .describe('Only issues and merge requests in this state'),
  confidential: bool().optional().describe('Filter by confidentiality'),
  order_by: choice('created_at').optional().describe('Column to sort by'),
  sort: choice('asc', 'desc').optional().describe('Sort order'),
}

const NO_ROWS: Rows<PresentedRow> = { rows: [], total: 0 }

const fails = { 400: 'The scope is unknown, or the text is empty or too long' }

export const searchInstance = endpoint('GET /search', {
  summary: 'Search the instance',
  can: 'signed_in',
  params: searchParams,
  limit: userSearchLimit,
  fails,
  returns: page(oneOf(ProjectSimple, Issue, MergeRequestBasic, Milestone, UserBasic, Snippet, BlobHit)),
  run: (ctx): Rows<PresentedRow> | Promise<Rows<PresentedRow>> => {
    const scope = checkScope(ctx.params.scope, INSTANCE_SCOPES)
    const search = checkedText(ctx.params.search)
    if (scope === 'projects') return searchProjectRows(ctx, search)
    if (scope === 'users') return searchUsers(ctx, search, {})
    if (scope === 'snippet_titles') return searchSnippets(ctx, search)
    if (scope === 'blobs') return searchCodeOfProjects(ctx, search)
    return searchIssuables(ctx, scope, { ...ctx.params, search }, {})!
  },
})

/** Declares a search at both of its paths. The path with `/-/` is the older one. */
function bothPaths(declare: (path: '/search' | '/-/search') => Endpoint): Endpoint[] {
  return [declare('/search'), declare('/-/search')]
}

export const searchGroup = bothPaths((path) =>
  endpoint(`GET /groups/:id${path}`, {
    summary: 'Search a group',
    scope: group,
    can: 'signed_in',
    params: searchParams,
    limit: userSearchLimit,
    fails,
    returns: page(oneOf(ProjectSimple, Issue, MergeRequestBasic, Milestone, UserBasic, BlobHit)),
    run: (ctx): Rows<PresentedRow> | Promise<Rows<PresentedRow>> => {
      const scope = checkScope(ctx.params.scope, GROUP_SCOPES)
      const search = checkedText(ctx.params.search)
      const ids = namespaceTreeIds(ctx.db, ctx.group.id)
      if (scope === 'projects') return searchProjectRows(ctx, search, ids)
      if (scope === 'blobs') return searchCodeOfProjects(ctx, search, ids)
      const ancestorIds = JSON.parse(ctx.group.lineage) as number[]
      if (scope === 'users') return searchUsers(ctx, search, { namespace_ids: [...ancestorIds, ...ids] })
      const within = { namespace_ids: ids, path: ctx.group.full_path }
      return searchIssuables(ctx, scope, { ...ctx.params, search }, within)!
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
    limit: userSearchLimit,
    fails,
    returns: page(oneOf(BlobHit, Commit, Issue, MergeRequestBasic, Milestone, Note, UserBasic)),
    run: async (ctx): Promise<Rows<PresentedRow>> => {
      const { project: owner, params } = ctx
      const scope = checkScope(params.scope, PROJECT_SCOPES)
      const search = checkedText(params.search)
      if (scope === 'users') {
        const ancestorIds = JSON.parse(owner.lineage) as number[]
        return searchUsers(ctx, search, { project_id: owner.id, namespace_ids: ancestorIds })
      }
      if (scope === 'blobs' || scope === 'commits' || scope === 'wiki_blobs')
        return searchCode(ctx, scope, search)
      const query = { ...params, search }
      if (scope === 'notes') return searchNotes(ctx, query, owner)
      return (await searchIssuables(ctx, scope, query, { project: owner })) ?? NO_ROWS
    },
  }),
)
