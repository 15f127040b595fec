import type { Ctx } from '../../../ctx.ts'
import { readCommits, type Commit } from '../../../git/read/commits.ts'
import { readDiff, type DiffLimits, type FileDiff } from '../../../git/read/diff.ts'
import { mergeBase, mergeBaseOf } from '../../../git/read/graph.ts'
import { listCommits } from '../../../git/read/log.ts'
import { resolveCommit } from '../../../git/read/revisions.ts'
import type { Repo } from '../../../git/types.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import { fullPath, repoOf, type Project, inRepository } from '../../projects/index.ts'
import type { CommitRow } from '../commits/entity.ts'
import { rowOf } from '../commits/service.ts'
import { diffLimits, forkRelative, repoWithObjectsOf } from '../service.ts'

/** The differences between two revisions. */
export interface CompareRow {
  /** Full path of the project. */
  readonly path: string
  readonly from: string
  readonly to: string
  /** The newest commit; null if there is none. */
  readonly commit: Commit | null
  /** The commits, oldest first. */
  readonly commits: readonly Commit[]
  readonly diffs: readonly FileDiff[]
  readonly unidiff: boolean
  /** True if commits or diffs are missing because of a limit. */
  readonly overflow: boolean
  readonly same: boolean
}

const MAX_COMMITS = 1000

/** The two revisions to compare. */
export interface CompareQuery {
  readonly from: string
  readonly to: string
  /** The project of `from`, if it is another one. */
  readonly from_project_id?: number | undefined
  /** True to compare `to` with `from` itself, instead of their common ancestor. */
  readonly straight: boolean
  readonly unidiff: boolean
}

/**
 * Returns the commits and changes of `to` that `from` lacks. Throws 404 for an unknown ref, 400 for a project outside
 * the fork network.
 */
export function compare(
  ctx: Ctx,
  project: Project,
  query: CompareQuery,
  signal?: AbortSignal,
): Promise<CompareRow> {
  const other = otherProject(ctx, project, query.from_project_id)
  return inRepository(ctx, project, async (ownRepo) => {
    const { repo, from, to } = await revisionsOf(ctx, project, { own: ownRepo, other, ...query })
    if (!from || !to) throw notFound('Ref')
    const base = query.straight ? from : await mergeBase(repo, from, to)
    // Without a common ancestor, the revisions are compared directly.
    const comparison = { from: base ?? from, to }
    const [commits, diff] = await Promise.all([
      listCommits(repo, { range: { tips: [to], not: [from] }, limit: MAX_COMMITS + 1, signal }),
      from === to ? null : readDiff(repo, comparison, { ...diffLimits(ctx), signal }),
    ])
    return {
      path: fullPath(project),
      from: query.from,
      to: query.to,
      commit: commits[0] ?? null,
      commits: commits.slice(0, MAX_COMMITS).toReversed(),
      diffs: diff?.files ?? [],
      unidiff: query.unidiff,
      overflow: (diff?.overflow ?? false) || commits.length > MAX_COMMITS,
      same: from === to,
    }
  })
}

/** Resolves the two revisions, and opens the repository that has the objects of both. */
async function revisionsOf(
  ctx: Ctx,
  project: Project,
  input: { own: Repo; other: Project | undefined; from?: string | undefined; to: string },
): Promise<{ repo: Repo; from: string | null; to: string | null }> {
  const { own, other } = input
  const [from, to] = await Promise.all([
    input.from === undefined ? null : resolveCommit(other ? repoOf(ctx, other) : own, input.from),
    resolveCommit(own, input.to),
  ])
  return { repo: other ? repoWithObjectsOf(ctx, project, other) : own, from, to }
}

function otherProject(ctx: Ctx, project: Project, id: number | undefined): Project | undefined {
  if (id === undefined || id === project.id) return undefined
  const relative = forkRelative(ctx, project, String(id))
  if (!relative) {
    throw fail('bad_request', `Target project id:${id} is not a fork of project id:${project.id}`)
  }
  return relative
}

/** The limits for a single file, which are as high as the window can show. */
const FILE_LIMITS: DiffLimits = {
  max_lines: 500_000,
  max_bytes: 8 * 1024 * 1024,
  max_file_bytes: 8 * 1024 * 1024,
}

/** A file to compare between two revisions. */
export interface FileDiffQuery {
  readonly from?: string | undefined
  readonly to: string
  readonly path: string
  readonly old_path?: string | undefined
  readonly from_project_id?: number | undefined
  readonly straight: boolean
}

/** Returns the change of one file. Throws 404 for an unknown ref and for a file that does not differ. */
export function fileDiff(
  ctx: Ctx,
  project: Project,
  { from, to, path, old_path = path, from_project_id, straight }: FileDiffQuery,
  signal?: AbortSignal,
): Promise<FileDiff> {
  const other = otherProject(ctx, project, from_project_id)
  return inRepository(ctx, project, async (ownRepo) => {
    const revisions = await revisionsOf(ctx, project, { own: ownRepo, other, from, to })
    const { repo, from: before, to: after } = revisions
    if (!after || (from !== undefined && !before)) throw notFound('Ref')
    const base = straight || !before ? before : ((await mergeBase(repo, before, after)) ?? before)
    const paths = [...new Set([old_path, path])]
    const { files } = await readDiff(repo, { from: base, to: after }, { ...FILE_LIMITS, paths, signal })
    const file = files.find((entry) => entry.new_path === path && entry.diff !== '') ?? files[0]
    if (!file) throw notFound('File')
    return file
  })
}

/** Returns the best common ancestor of several revisions. */
export function findMergeBase(ctx: Ctx, project: Project, refs: readonly string[]): Promise<CommitRow> {
  if (refs.length < 2) throw fail('bad_request', 'Provide at least 2 refs')
  return inRepository(ctx, project, async (repo) => {
    const ids = await Promise.all(refs.map((name) => resolveCommit(repo, name)))
    const unknown = refs.filter((_, index) => ids[index] === null)
    if (unknown.length > 0) {
      const word = unknown.length === 1 ? 'ref' : 'refs'
      throw fail('bad_request', `Could not find ${word}: ${unknown.join(', ')}`)
    }
    const base = await mergeBaseOf(repo, ids as string[])
    const commit = base === null ? undefined : (await readCommits(repo, [base]))[0]
    if (!commit) throw notFound('Merge Base')
    return rowOf(project, commit)
  })
}
