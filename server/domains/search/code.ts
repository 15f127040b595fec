import type { Ctx } from '../../ctx.ts'
import { grep, type GrepHit } from '../../git/grep.ts'
import { listCommits } from '../../git/log.ts'
import { isRevision } from '../../git/names.ts'
import { resolveCommit } from '../../git/revisions.ts'
import { listTree } from '../../git/tree.ts'
import type { Repo } from '../../git/types.ts'
import type { Project } from '../projects/index.ts'
import { inRepository } from '../repository/index.ts'
import { readWiki } from '../wikis/index.ts'
import type { Rows } from '../../http/returns.ts'
import type { BlobRow } from './entity.ts'
import { readBlobQuery } from './blob-query.ts'
import type { Window } from './store.ts'

/** Places in code that a search looks at; more are never shown. */
const MAX_HITS = 1000
/** With filters on the path many places are thrown away again. */
const MAX_FILTERED = 20_000

/** Code as asked for: `ref` is a branch, tag or commit, the default branch without it. */
export interface CodeSearch {
  readonly search: string
  readonly ref?: string | undefined
  readonly signal: AbortSignal
}

/** The commit a search looks at; null in an empty repository and for an unknown ref. */
async function commitOf(repo: Repo, project: Project, ref: string | undefined): Promise<string | null> {
  const name = ref ?? project.default_branch
  return isRevision(name) ? resolveCommit(repo, name) : null
}

/** Places in the files of a commit, and files whose path is found; a page of them. */
export function searchBlobs(ctx: Ctx, project: Project, query: CodeSearch, window: Window) {
  return inRepository(ctx, project, async (repo) => {
    const commit = await commitOf(repo, project, query.ref)
    return commit === null ? NOTHING : blobsIn({ repo, commit, project }, query, window)
  })
}

const NOTHING: Rows<BlobRow> = { rows: [], total: 0 }

/** Places in the pages of a project's wiki, and pages whose path is found; `ref` is a branch or commit of the wiki. */
export async function searchWiki(
  ctx: Ctx,
  project: Project,
  query: CodeSearch,
  window: Window,
): Promise<Rows<BlobRow>> {
  const found = await readWiki(ctx, { project }, async ({ repo, tip, index }) => {
    const commit = query.ref === undefined ? tip : await resolveCommit(repo, query.ref)
    if (commit === null) return NOTHING
    // What was attached to pages is not a page.
    const pages = commit === tip ? new Set(index.pages.map((page) => page.path)) : undefined
    return blobsIn({ repo, commit, project, pages }, query, window)
  })
  return found ?? NOTHING
}

/** Files of a commit in which is searched: all, or those of a set of paths. */
interface Searched {
  readonly repo: Repo
  readonly commit: string
  readonly project: Project
  readonly pages?: ReadonlySet<string> | undefined
}

async function blobsIn(searched: Searched, query: CodeSearch, window: Window): Promise<Rows<BlobRow>> {
  const { repo, commit, project, pages } = searched
  const { text, accepts: passes, hasFilters: filters } = readBlobQuery(query.search)
  const accepts = (path: string): boolean => passes(path) && (pages?.has(path) ?? true)
  const hasFilters = filters || pages !== undefined
  const limit = hasFilters ? MAX_FILTERED : MAX_HITS
  const hits = text === '' ? [] : await grep(repo, commit, text, { limit, signal: query.signal })
  const found = hits.filter((hit) => accepts(hit.path)).slice(0, MAX_HITS)
  const known = new Set(found.map((hit) => hit.path))
  const named = (await pathsNamed(repo, commit, text, accepts))
    .filter((path) => !known.has(path))
    .map((path) => ({ path, start_line: 1, match_line: 1, lines: [] }))
  const rows = [...found, ...named].map((hit) => rowOf(project, query, commit, hit))
  return { rows: rows.slice(window.offset, window.offset + window.limit), total: rows.length }
}

/** Files whose path holds the text, or which the filters alone name. */
async function pathsNamed(repo: Repo, commit: string, text: string, accepts: (path: string) => boolean) {
  const listing = await listTree(repo, commit, { recursive: true })
  const wanted = text.toLowerCase()
  const files = listing?.entries.filter((entry) => entry.type === 'blob') ?? []
  const isNamed = (path: string): boolean => path.toLowerCase().includes(wanted) && accepts(path)
  return files
    .map((entry) => entry.path)
    .filter(isNamed)
    .slice(0, MAX_HITS)
}

function rowOf(project: Project, query: CodeSearch, commit: string, hit: GrepHit): BlobRow {
  return {
    path: hit.path,
    data: hit.lines.map((line) => `${line}\n`).join(''),
    ref: query.ref ?? commit,
    startline: hit.start_line,
    project_id: project.id,
  }
}

/** Commits whose message holds the text, or whose id begins with it. */
export function searchCommits(ctx: Ctx, project: Project, query: CodeSearch, window: Window) {
  return inRepository(ctx, project, async (repo) => {
    const tip = await commitOf(repo, project, query.ref)
    if (tip === null) return []
    const byId = /^[0-9a-f]{7,40}$/i.test(query.search) ? await resolveCommit(repo, query.search) : null
    const range = { tips: [byId ?? tip] }
    if (byId !== null) return window.offset > 0 ? [] : listCommits(repo, { range, limit: 1 })
    const page = { range, message: query.search, skip: window.offset, limit: window.limit }
    return listCommits(repo, { ...page, signal: query.signal })
  })
}
