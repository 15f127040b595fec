import type { Ctx } from '../../../ctx.ts'
import type { Encoded, Rows } from '../../../db/rows.ts'
import { commitStats, findCommit, type Commit } from '../../../git/read/commits.ts'
import { readDiff } from '../../../git/read/diff.ts'
import { countCommits, listCommits as readLog, resolveRange } from '../../../git/read/log.ts'
import { checkFolder, isObjectId } from '../../../git/names.ts'
import { refsContaining } from '../../../git/write/refs.ts'
import { firstParent, resolveCommit } from '../../../git/read/revisions.ts'
import { findEntry } from '../../../git/read/tree.ts'
import type { Repo } from '../../../git/types.ts'
import { notFound } from '../../../lib/fail.ts'
import { fullPath, type Project, inRepository } from '../../projects/index.ts'
import { diffLimits } from '../service.ts'
import type { CommitRow, DiffRow } from './entity.ts'
import { latestPipeline } from '../store.ts'

/** The filters and order of a list of commits. */
export interface CommitQuery {
  /** A branch, tag, commit id or range `a..b`; by default the default branch. */
  readonly ref_name?: string | undefined
  readonly since?: string | undefined
  readonly until?: string | undefined
  readonly path?: string | undefined
  readonly author?: string | undefined
  readonly all?: boolean | undefined
  readonly with_stats?: boolean | undefined
  readonly first_parent?: boolean | undefined
  readonly order?: 'default' | 'topo' | undefined
}

interface Window {
  readonly limit: number
  readonly offset: number
}

/** Converts a commit to the row of its entity. */
export function rowOf(project: Project, commit: Commit): CommitRow {
  return { commit, path: fullPath(project), project_id: project.id }
}

async function withStats(repo: Repo, rows: readonly CommitRow[]): Promise<CommitRow[]> {
  const stats = await commitStats(
    repo,
    rows.map((row) => row.commit.id),
  )
  return rows.map((row) => ({ ...row, stats: stats.get(row.commit.id) ?? NO_CHANGES }))
}

const NO_CHANGES = { additions: 0, deletions: 0, files: 0 }

/** Returns the requested range of commits; undefined for an unknown ref. */
async function rangeOf(repo: Repo, project: Project, query: CommitQuery) {
  const name = query.ref_name || `refs/heads/${project.default_branch}`
  return (await resolveRange(repo, name)) ?? undefined
}

/** Lists commits, newest first. An unknown ref has no commits. */
export function findCommits(
  ctx: Ctx,
  project: Project,
  query: CommitQuery,
  window: Window,
): Promise<CommitRow[]> {
  return inRepository(ctx, project, async (repo) => {
    const range = query.all ? undefined : await rangeOf(repo, project, query)
    if (!query.all && range === undefined) return []
    const path = checkFolder(query.path ?? '')
    // Only the history of a file follows renames, because git would compare every file of a folder.
    const entry = path !== '' && range ? await findEntry(repo, range.tips.at(-1)!, path) : null
    const commits = await readLog(repo, {
      ...(range ? { range } : {}),
      ...(path === '' ? {} : { paths: [path] }),
      ...(entry?.type === 'blob' ? { follow: true } : {}),
      ...(query.since ? { since: new Date(query.since) } : {}),
      ...(query.until ? { until: new Date(query.until) } : {}),
      ...(query.author ? { author: query.author } : {}),
      ...(query.first_parent ? { first_parent: true } : {}),
      ...(query.order ? { order: query.order } : {}),
      limit: window.limit,
      skip: window.offset,
    })
    const rows = commits.map((commit) => rowOf(project, commit))
    return query.with_stats ? withStats(repo, rows) : rows
  })
}

/** Returns the commit of an id, branch or tag. Throws 404 if there is none. */
export async function commitOrFail(repo: Repo, name: string): Promise<Commit> {
  const id = await resolveCommit(repo, name)
  const commit = id === null ? null : await findCommit(repo, id)
  if (commit === null) throw notFound('Commit')
  return commit
}

/** Returns one commit by id, branch or tag. */
export function getCommit(ctx: Ctx, project: Project, name: string, stats: boolean): Promise<CommitRow> {
  return inRepository(ctx, project, async (repo) => {
    const commit = await commitOrFail(repo, name)
    const row = { ...rowOf(project, commit), pipeline: latestPipeline(ctx, project, commit.id) }
    return stats ? (await withStats(repo, [row]))[0]! : row
  })
}

/** The changes of a commit, cached with their JSON. Neither of them ever changes. */
type DiffPage = Rows<DiffRow> & { readonly encoded: Encoded }

/** Returns the changes of a commit against its first parent. */
export function getCommitDiff(
  ctx: Ctx,
  project: Project,
  query: { sha: string; unidiff: boolean },
  window: Window,
): Promise<DiffPage> {
  const { sha: name, unidiff } = query
  return inRepository(ctx, project, async (repo) => {
    // Only the parent is read, because the whole commit may need a git process.
    const [id, knownParent] = await Promise.all([
      resolveCommit(repo, name),
      isObjectId(name) ? firstParent(repo, name) : undefined,
    ])
    if (id === null) throw notFound('Commit')
    const from = knownParent === undefined ? await firstParent(repo, id) : knownParent
    const limits = diffLimits(ctx)
    const key = JSON.stringify([id, window.offset, window.limit, unidiff, limits])
    const cached = repo.git.cache.get<DiffPage>(repo, 'commit-diff', key)
    if (cached !== undefined) return cached
    const { files } = await readDiff(repo, { from, to: id }, limits)
    const rows = files.slice(window.offset, window.offset + window.limit).map((file) => ({ file, unidiff }))
    const content = { rows, total: files.length, encoded: {} }
    return repo.git.cache.set(repo, 'commit-diff', key, { content, bytes: sizeOf(rows) })
  })
}

/** Estimates the size of the JSON in bytes. */
function sizeOf(rows: readonly DiffRow[]): number {
  return rows.reduce((sum, { file }) => sum + 400 + 1.2 * file.diff.length, 500)
}

/** Lists the branches and tags that contain the commit. */
export function getCommitRefs(
  ctx: Ctx,
  project: Project,
  name: string,
  type: 'all' | 'branch' | 'tag',
): Promise<{ type: 'branch' | 'tag'; name: string }[]> {
  const prefixes = {
    all: ['refs/heads/', 'refs/tags/'],
    branch: ['refs/heads/'],
    tag: ['refs/tags/'],
  }[type]
  return inRepository(ctx, project, async (repo) => {
    const refs = await refsContaining(repo, (await commitOrFail(repo, name)).id, prefixes)
    return refs.map((ref) =>
      ref.startsWith('refs/heads/')
        ? { type: 'branch' as const, name: ref.slice('refs/heads/'.length) }
        : { type: 'tag' as const, name: ref.slice('refs/tags/'.length) },
    )
  })
}

/** Counts a commit and all its ancestors. */
export function getSequence(
  ctx: Ctx,
  project: Project,
  query: { name: string; first_parent: boolean },
): Promise<{ count: number }> {
  return inRepository(ctx, project, async (repo) => {
    const id = await resolveCommit(repo, query.name)
    if (id === null) throw notFound('Commit')
    const range = { tips: [id] }
    return { count: await countCommits(repo, { range, first_parent: query.first_parent }) }
  })
}
