import type { Ctx } from '../../ctx.ts'
import { grep, type GrepHit } from '../../git/read/grep.ts'
import { listCommits } from '../../git/read/log.ts'
import { isRevision } from '../../git/names.ts'
import { resolveCommit } from '../../git/read/revisions.ts'
import { listTree } from '../../git/read/tree.ts'
import type { Repo } from '../../git/types.ts'
import type { Project } from '../projects/index.ts'
import { inRepository } from '../repository/index.ts'
import { readWiki } from '../wikis/index.ts'
import type { Rows } from '../../db/rows.ts'
import type { BlobRow } from './entity.ts'
import type { PageWindow } from './store.ts'

/** The maximum number of matches in code that a search reads. */
const MAX_HITS = 1000

/** The maximum number of matches with filters on the path, which exclude many of them. */
const MAX_FILTERED = 20_000

/** A search of code. `ref` is a branch, tag or commit; the default branch by default. */
export interface CodeSearch {
  readonly search: string
  readonly ref?: string | undefined
  readonly signal: AbortSignal
}

/** Returns the commit to search. Null in an empty repository and for an unknown ref. */
async function commitOf(repo: Repo, project: Project, ref: string | undefined): Promise<string | null> {
  const name = ref ?? project.default_branch
  return isRevision(name) ? resolveCommit(repo, name) : null
}

/** Returns one page of the matches in the files of a commit, and of the files with a matching path. */
export function searchBlobs(ctx: Ctx, project: Project, query: CodeSearch, window: PageWindow) {
  return inRepository(ctx, project, async (repo) => {
    const commit = await commitOf(repo, project, query.ref)
    return commit === null ? NO_ROWS : blobsIn({ repo, commit, project }, query, window)
  })
}

const NO_ROWS: Rows<BlobRow> = { rows: [], total: 0 }

/** Returns one page of the matches in the pages of a project's wiki. `ref` is a branch or commit of the wiki. */
export async function searchWiki(
  ctx: Ctx,
  project: Project,
  query: CodeSearch,
  window: PageWindow,
): Promise<Rows<BlobRow>> {
  const result = await readWiki(ctx, { project }, async ({ repo, tip, index }) => {
    const commit = query.ref === undefined ? tip : await resolveCommit(repo, query.ref)
    if (commit === null) return NO_ROWS
    // Attachments of a wiki are not pages.
    const pages = commit === tip ? new Set(index.pages.map((page) => page.path)) : undefined
    return blobsIn({ repo, commit, project, pages }, query, window)
  })
  return result ?? NO_ROWS
}

/** The files to search: all files of a commit, or those with a path in `pages`. */
interface SearchedFiles {
  readonly repo: Repo
  readonly commit: string
  readonly project: Project
  readonly pages?: ReadonlySet<string> | undefined
}

async function blobsIn(source: SearchedFiles, query: CodeSearch, window: PageWindow): Promise<Rows<BlobRow>> {
  const { repo, commit, project, pages } = source
  const { text, accepts: passesFilters, hasFilters: hasPathFilters } = readBlobQuery(query.search)
  const accepts = (path: string): boolean => passesFilters(path) && (pages?.has(path) ?? true)
  const hasFilters = hasPathFilters || pages !== undefined
  const limit = hasFilters ? MAX_FILTERED : MAX_HITS
  const hits = text === '' ? [] : await grep(repo, commit, text, { limit, signal: query.signal })
  const matches = hits.filter((hit) => accepts(hit.path)).slice(0, MAX_HITS)
  const matchedPaths = new Set(matches.map((hit) => hit.path))
  const nameHits = (await pathsByName(repo, commit, text, accepts))
    .filter((path) => !matchedPaths.has(path))
    .map((path) => ({ path, start_line: 1, match_line: 1, lines: [] }))
  const rows = [...matches, ...nameHits].map((hit) => rowOf(project, query, commit, hit))
  return { rows: rows.slice(window.offset, window.offset + window.limit), total: rows.length }
}

/** Returns the paths that contain the text and pass the filters. Without a text only the filters count. */
async function pathsByName(repo: Repo, commit: string, text: string, accepts: (path: string) => boolean) {
  const listing = await listTree(repo, commit, { recursive: true })
  const lowercase = text.toLowerCase()
  const files = listing?.entries.filter((entry) => entry.type === 'blob') ?? []
  const matchesPath = (path: string): boolean => path.toLowerCase().includes(lowercase) && accepts(path)
  return files
    .map((entry) => entry.path)
    .filter(matchesPath)
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

/** Searches commits with the text in their message, or at the beginning of their ID. */
export function searchCommits(ctx: Ctx, project: Project, query: CodeSearch, window: PageWindow) {
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

/** A search of code: the text, and filters on the path. */
export interface BlobQuery {
  readonly text: string
  /** True if a path passes the filters. */
  readonly accepts: (path: string) => boolean
  readonly hasFilters: boolean
}

const FILTER = /(?:^|\s)(-?)(filename|path|extension):(\S+)/g

/**
 * Matches a pattern in which `*` matches any characters, ignoring case. It searches for the parts between the `*`, because
 * a regular expression with many `*` would take exponential time.
 */
function wildcard(text: string): (name: string) => boolean {
  const [head = '', ...rest] = text.toLowerCase().split('*')
  const tail = rest.pop()
  return (input) => {
    const name = input.toLowerCase()
    if (tail === undefined) return name === head
    if (!name.startsWith(head) || !name.endsWith(tail)) return false
    let at = head.length
    for (const part of rest) {
      const index = name.indexOf(part, at)
      if (index < 0) return false
      at = index + part.length
    }
    return at <= name.length - tail.length
  }
}

/**
 * Parses `word filename:*.ts path:src extension:ts`. A filter with a leading `-` excludes. A filter without `*` matches
 * any part of the name or path; an extension must match as a whole.
 */
export function readBlobQuery(search: string): BlobQuery {
  const tests: ((path: string) => boolean)[] = []
  const text = search.replace(FILTER, (_all, minus: string, kind: string, value: string) => {
    const test = testOf(kind, value)
    tests.push(minus ? (path) => !test(path) : test)
    return ' '
  })
  return {
    text: text.trim(),
    accepts: (path) => tests.every((test) => test(path)),
    hasFilters: tests.length > 0,
  }
}

function testOf(kind: string, value: string): (path: string) => boolean {
  const nameOf = (path: string): string => path.split('/').at(-1)!
  if (kind === 'extension') {
    const ending = `.${value.replace(/^\./, '').toLowerCase()}`
    return (path) => nameOf(path).toLowerCase().endsWith(ending)
  }
  const matchesPattern = wildcard(value.includes('*') ? value : `*${value}*`)
  return kind === 'filename' ? (path) => matchesPattern(nameOf(path)) : matchesPattern
}
