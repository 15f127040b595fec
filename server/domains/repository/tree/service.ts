import type { Ctx } from '../../../ctx.ts'
import { openBlob, readBlob, type Blob } from '../../../git/read/blob.ts'
import { readCommits, type Commit } from '../../../git/read/commits.ts'
import { lastCommitsIn } from '../../../git/read/last-commits.ts'
import { checkFolder } from '../../../git/names.ts'
import { resolveCommit } from '../../../git/read/revisions.ts'
import { listTree, type TreeEntry, type TreeListing } from '../../../git/read/tree.ts'
import { notFound } from '../../../lib/fail.ts'
import type { Project } from '../../projects/index.ts'
import { inRepository } from '../../projects/index.ts'

/** The folder to list, and the paging. */
export interface TreeQuery {
  readonly ref?: string | undefined
  readonly path?: string | undefined
  readonly recursive: boolean
  readonly pagination?: 'legacy' | 'keyset' | 'none' | undefined
  readonly page_token?: string | undefined
}

interface Window {
  readonly limit: number
  readonly offset: number
  readonly per_page: number
}

interface TreePage {
  readonly rows: readonly TreeEntry[]
  readonly total?: number | undefined
  readonly next?: Readonly<Record<string, string>> | undefined
  readonly whole?: boolean | undefined
}

/** Entries of a folder, folders first. */
export function getTree(ctx: Ctx, project: Project, query: TreeQuery, window: Window): Promise<TreePage> {
  return inRepository(ctx, project, async (repo) => {
    const commit = await resolveCommit(repo, query.ref || `refs/heads/${project.default_branch}`)
    if (commit === null) throw notFound('Tree')
    // A single folder is paged like other lists.
    const whole = query.pagination === 'none' && query.recursive
    const all = query.pagination === 'keyset' || whole
    const listing = await listTree(repo, commit, {
      path: checkFolder(query.path ?? ''),
      recursive: query.recursive,
      order: 'trees_first',
      ...(all ? {} : { skip: window.offset, limit: window.limit }),
    })
    if (listing === null) throw notFound('invalid revision or path')
    if (query.pagination === 'keyset') return keysetPage(listing, query, window.per_page)
    if (whole) return { rows: listing.entries, whole: true }
    return { rows: listing.entries, total: listing.total }
  })
}

/** An entry of a folder with the last commit that changed it. */
export interface EntryCommit {
  readonly name: string
  readonly commit: Commit
}

/** The last commit of each entry of a folder. Entries that take too long to find are left out. */
export function findLastCommits(
  ctx: Ctx,
  project: Project,
  query: { readonly ref?: string | undefined; readonly path?: string | undefined },
  signal: AbortSignal,
): Promise<EntryCommit[]> {
  return inRepository(ctx, project, async (repo) => {
    const commit = await resolveCommit(repo, query.ref || `refs/heads/${project.default_branch}`)
    if (commit === null) throw notFound('Tree')
    const found = await lastCommitsIn(repo, commit, checkFolder(query.path ?? ''), { signal })
    if (found === null) throw notFound('invalid revision or path')
    const commits = await readCommits(repo, [...new Set(found.values())])
    const byId = new Map(commits.map((one) => [one.id, one]))
    return [...found].flatMap(([name, id]) => {
      const last = byId.get(id)
      return last ? [{ name, commit: last }] : []
    })
  })
}

/**
 * The token is the path of the last entry. Object ids are accepted too, because other servers of this API issue
 * them.
 */
function keysetPage({ entries }: TreeListing, query: TreeQuery, perPage: number): TreePage {
  const start = query.page_token ? positionAfter(entries, query.page_token) : 0
  const rows = entries.slice(start, start + perPage)
  const last = rows.at(-1)
  const more = last !== undefined && start + perPage < entries.length
  return { rows, next: more ? { page_token: tokenOf(last) } : undefined }
}

function tokenOf(entry: TreeEntry): string {
  return `p${Buffer.from(entry.path).toString('base64url')}`
}

function positionAfter(entries: readonly TreeEntry[], token: string): number {
  const path = token.startsWith('p') ? Buffer.from(token.slice(1), 'base64url').toString() : null
  const at = entries.findIndex((entry) => (path === null ? entry.id === token : entry.path === path))
  if (at < 0) throw notFound('Tree')
  return at + 1
}

/** Returns a blob with its content. */
export function getBlob(ctx: Ctx, project: Project, id: string): Promise<Blob> {
  return inRepository(ctx, project, async (repo) => {
    const blob = await readBlob(repo, id)
    if (blob === null) throw notFound('Blob')
    return blob
  })
}

/** Returns a blob of any size as a stream. */
export function streamBlob(ctx: Ctx, project: Project, id: string, signal: AbortSignal) {
  return inRepository(ctx, project, async (repo) => {
    const blob = await openBlob(repo, id, { signal })
    if (blob === null) throw notFound('Blob')
    return blob
  })
}
