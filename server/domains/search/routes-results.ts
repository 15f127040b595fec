import type { Ctx } from '../../ctx.ts'
import { as, type PresentedRow } from '../../http/entity.ts'
import type { Paging, Rows } from '../../http/returns.ts'
import {
  findIssuables,
  type IssuableName,
  type IssuableScope,
  showIssues,
  type IssueRow,
  milestonesByIds,
} from '../planning/index.ts'
import { Issue } from '../planning/issues/entity.ts'
import { MergeRequestBasic } from '../merge_requests/entity.ts'
import { showMergeRequests, type MergeRequestRow } from '../merge_requests/index.ts'
import { Milestone } from '../planning/milestones/entity.ts'
import { Note } from '../discussions/notes/entity.ts'
import { notesById } from '../discussions/index.ts'
import { findProjects, fullPath, viewsOf as projectViews, type Project } from '../projects/index.ts'
import * as store from './store.ts'
import { ProjectSimple } from '../projects/entity.ts'
import { UserBasic } from '../users/entity.ts'
import { Snippet } from '../snippets/entity.ts'
import { snippetViews, listSnippetRows } from '../snippets/index.ts'
import { Commit } from '../repository/commits/entity.ts'
import { BlobHit } from './entity.ts'
import { searchBlobs, searchWiki, searchCommits } from './service-code.ts'
import { checkReadsWiki, checkReadsCode, searchProjects } from './service.ts'

/** The scope of a search: a project, a group with the IDs of its tree, or the instance. */
export interface SearchScope {
  readonly project?: Project | undefined
  readonly namespace_ids?: readonly number[] | undefined
  /** Full path of the group. */
  readonly path?: string | undefined
}

/** The text and filters of a search. */
export interface SearchQuery {
  readonly search: string
  readonly state?: string | undefined
  readonly confidential?: boolean | undefined
  readonly sort?: 'asc' | 'desc' | undefined
}

type SearchContext = Ctx & { readonly paging: Paging }

/** Parses `#5` and `!5`, which search by number. */
function numberIn(search: string, sign: string): number[] | undefined {
  const match = /^([#!])(\d{1,10})$/.exec(search)
  return match && match[1] === sign ? [Number(match[2])] : undefined
}

function searchRows<Row>(
  ctx: SearchContext,
  kind: IssuableName,
  query: SearchQuery,
  scope: SearchScope,
): Rows<Row> {
  const { search, state, confidential, sort = 'desc' } = query
  const iids = numberIn(search, kind === 'Issue' ? '#' : '!')
  const filter = {
    ...(iids ? { iids } : { search }),
    state,
    ...(kind === 'Issue' ? { confidential } : {}),
  }
  const { project, namespace_ids } = scope
  const allProjects: IssuableScope = {}
  const issuableScope: IssuableScope = project ? { project } : namespace_ids ? { namespace_ids } : allProjects
  const { limit, offset } = ctx.paging
  return findIssuables<Row>(
    ctx,
    { kind, scope: issuableScope, filter },
    { order_by: 'created_at', sort, limit, offset },
  )
}

/** The full path to which references in the answer are relative. */
function referenceBase({ project, path }: SearchScope): string | undefined {
  return project ? fullPath(project) : path
}

/** Searches visible issues with every word in title or description, newest first. */
export function searchIssues(ctx: SearchContext, query: SearchQuery, scope: SearchScope): Rows<PresentedRow> {
  const { rows, total } = searchRows<IssueRow>(ctx, 'Issue', query, scope)
  const views = showIssues(ctx, rows, { relative_to: referenceBase(scope) })
  return { rows: views.map((view) => as(Issue, view) as PresentedRow), total }
}

/** Searches visible merge requests in the same way. */
export async function searchMergeRequests(
  ctx: SearchContext,
  query: SearchQuery,
  scope: SearchScope,
): Promise<Rows<PresentedRow>> {
  const { rows, total } = searchRows<MergeRequestRow>(ctx, 'MergeRequest', query, scope)
  const views = await showMergeRequests(ctx, rows, { relativeTo: referenceBase(scope) })
  return { rows: views.map((view) => as(MergeRequestBasic, view) as PresentedRow), total }
}

/** Searches milestones with the text in title or description. */
export function searchMilestones(
  ctx: SearchContext,
  query: SearchQuery,
  scope: SearchScope,
): Rows<PresentedRow> {
  const { ids, total } = store.milestones(ctx.db, ctx, query, {
    project_id: scope.project?.id,
    namespace_ids: scope.namespace_ids,
    ...ctx.paging,
  })
  const milestones = milestonesByIds(ctx.db, ids)
  return { rows: ids.map((id) => as(Milestone, milestones.get(id)!) as PresentedRow), total }
}

/** Searches comments of a project with the text, on records that the actor may see. */
export function searchNotes(ctx: SearchContext, query: SearchQuery, project: Project): Rows<PresentedRow> {
  const { rows, total } = store.notes(ctx.db, ctx, query, { project_id: project.id, ...ctx.paging })
  const notes = notesById(
    ctx.db,
    rows.map((row) => row.id),
  )
  const views = rows.map(({ id, iid }) => as(Note, { ...notes.get(id)!, noteable_iid: iid }) as PresentedRow)
  return { rows: views, total }
}

export function searchProjectRows(
  ctx: Ctx & { paging: Paging },
  search: string,
  namespace_ids?: number[],
): Rows<PresentedRow> {
  const order = { ...ctx.paging, order_by: 'similarity', sort: 'desc' as const, keyset: false }
  const request = { search, search_namespaces: true, archived: false }
  const result = findProjects(ctx, { ...request, ...(namespace_ids ? { namespace_ids } : {}) }, order)
  const rows = projectViews(ctx, result.rows, {}).map((view) => as(ProjectSimple, view) as PresentedRow)
  return { rows, total: result.total }
}

export function searchUsers(
  ctx: Ctx & { paging: Paging },
  search: string,
  scope: store.UserScope,
): Rows<PresentedRow> {
  const { rows, total } = store.users(ctx.db, search, scope, ctx.paging)
  return { rows: rows.map((row) => as(UserBasic, row) as PresentedRow), total }
}

export function searchSnippets(ctx: Ctx & { paging: Paging }, search: string): Rows<PresentedRow> {
  const { rows, total } = listSnippetRows(ctx.db, ctx, { search }, ctx.paging)
  return { rows: snippetViews(ctx, rows).map((view) => as(Snippet, view) as PresentedRow), total }
}

/** Searches issues, merge requests or milestones, which all three levels have. Undefined for every other scope. */
export function searchIssuables(
  ctx: Ctx & { paging: Paging },
  scope: string,
  query: SearchQuery,
  within: SearchScope,
): Rows<PresentedRow> | Promise<Rows<PresentedRow>> | undefined {
  if (scope === 'issues') return searchIssues(ctx, query, within)
  if (scope === 'merge_requests') return searchMergeRequests(ctx, query, within)
  return scope === 'milestones' ? searchMilestones(ctx, query, within) : undefined
}

export async function searchCode(
  ctx: CodeContext,
  scope: 'blobs' | 'commits' | 'wiki_blobs',
  search: string,
): Promise<Rows<PresentedRow>> {
  const { project: owner, params, paging, http } = ctx
  if (scope === 'wiki_blobs') checkReadsWiki(ctx, owner)
  else checkReadsCode(ctx, owner)
  const query = { search, ref: params.ref || undefined, signal: http.signal }
  if (scope !== 'commits') {
    const searchIn = scope === 'blobs' ? searchBlobs : searchWiki
    const { rows, total } = await searchIn(ctx, owner, query, paging)
    return { rows: rows.map((row) => as(BlobHit, row) as PresentedRow), total }
  }
  const commits = await searchCommits(ctx, owner, query, paging)
  const project = { path: fullPath(owner), project_id: owner.id }
  return { rows: commits.map((commit) => as(Commit, { commit, ...project }) as PresentedRow) }
}

/** Searches the code of all projects that the actor may read, or of those in these namespaces. */
export async function searchCodeOfProjects(
  ctx: Ctx & Pick<CodeContext, 'paging' | 'http'>,
  search: string,
  namespace_ids?: readonly number[],
): Promise<Rows<PresentedRow>> {
  const query = { search, signal: ctx.http.signal }
  const { rows, total } = await searchProjects(ctx, namespace_ids, query, ctx.paging)
  return { rows: rows.map((row) => as(BlobHit, row) as PresentedRow), total }
}

export interface CodeContext extends Ctx {
  readonly project: Project
  readonly params: { readonly ref?: string }
  readonly paging: Paging
  readonly http: { readonly signal: AbortSignal }
}
