import type { Readable } from 'node:stream'

import type { Ctx } from '../../../ctx.ts'
import type { Encoded, Rows } from '../../../db/rows.ts'
import { openDiff } from '../../../git/write/changes.ts'
import { readCommits, type Commit } from '../../../git/read/commits.ts'
import { readDiff, type Diff, type DiffLimits } from '../../../git/read/diff.ts'
import { findObject } from '../../../git/read/revisions.ts'
import type { Repo } from '../../../git/types.ts'
import { Failure } from '../../../lib/fail.ts'
import { fullPath, inRepository, type Project } from '../../projects/index.ts'
import { diffLimits } from '../../repository/index.ts'
import { checkMayReadCode } from '../policy.ts'
import type { MergeRequestRow, PageRange } from '../types.ts'
import { ensureVersion } from './branches.ts'
import * as store from './store.ts'
import { latestDiff, type DiffVersionRow } from './store.ts'

/** A commit with its project, for the entity. */
interface CommitRow {
  readonly commit: Commit
  readonly path: string
  readonly project_id: number
}

/** The limits for `access_raw_diffs`. */
const RAW_LIMITS: DiffLimits = {
  max_files: 10_000,
  max_lines: 500_000,
  max_bytes: 64 * 1024 * 1024,
  max_file_bytes: 16 * 1024 * 1024,
}

/** Runs `work` with the newest version. Throws 403 unless the actor may read the code. */
async function withVersion<T>(
  ctx: Ctx,
  project: Project,
  request: MergeRequestRow,
  work: (repo: Repo, version: DiffVersionRow | undefined) => Promise<T>,
): Promise<T> {
  checkMayReadCode(ctx, project)
  return inRepository(ctx, project, async (repo) => {
    const current = await ensureVersion(ctx, project, request)
    return work(repo, latestDiff(ctx.db, current))
  })
}

const comparisonOf = (version: DiffVersionRow) => ({
  from: version.base_commit_sha ?? version.start_commit_sha,
  to: version.head_commit_sha,
})

const EMPTY_DIFF: Diff = { files: [], total_files: 0, overflow: false }

/** Whether git has the commits of a version. Imported merge requests may lack them. */
async function hasCommits(repo: Repo, version: DiffVersionRow): Promise<boolean> {
  const { from, to } = comparisonOf(version)
  const objects = await Promise.all([findObject(repo, from), findObject(repo, to)])
  return objects.every((object) => object !== null)
}

/** Reads the diff of a version. Empty when its commits are missing. */
async function diffOf(repo: Repo, version: DiffVersionRow, limits: DiffLimits): Promise<Diff> {
  try {
    return await readDiff(repo, comparisonOf(version), limits)
  } catch (error) {
    if (await hasCommits(repo, version)) throw error
    return EMPTY_DIFF
  }
}

/** Reads the diff of the newest version. `raw` raises the limits. */
export function changesOf(
  ctx: Ctx,
  project: Project,
  request: MergeRequestRow,
  { raw }: { raw: boolean },
): Promise<Diff> {
  const limits = raw ? RAW_LIMITS : diffLimits(ctx)
  return withVersion(ctx, project, request, async (repo, version) =>
    version ? diffOf(repo, version, limits) : EMPTY_DIFF,
  )
}

/** A page of a diff. It is cached with its JSON, since a version never changes. */
type DiffPage = Rows<{ file: Diff['files'][number]; unidiff: boolean }> & { readonly encoded: Encoded }

/** Returns one page of the changed files of the newest version. */
export function diffPage(
  ctx: Ctx,
  project: Project,
  request: MergeRequestRow,
  { unidiff, range }: { unidiff: boolean; range: PageRange },
): Promise<DiffPage> {
  return withVersion(ctx, project, request, async (repo, version) => {
    if (!version) return { rows: [], total: 0, encoded: {} }
    const limits = diffLimits(ctx)
    const comparison = comparisonOf(version)
    const { offset, limit } = range
    const key = JSON.stringify([comparison, offset, limit, unidiff, limits])
    const cached = repo.git.cache.get<DiffPage>(repo, 'merge-request-diff', key)
    if (cached !== undefined) return cached
    const diff = await diffOf(repo, version, limits)
    // Missing commits may arrive later, so an empty result is not cached.
    if (diff === EMPTY_DIFF) return { rows: [], total: 0, encoded: {} }
    const { files } = diff
    const rows = files.slice(offset, offset + limit).map((file) => ({ file, unidiff }))
    const content = { rows, total: files.length, encoded: {} }
    const bytes = rows.reduce((sum, { file }) => sum + 400 + 1.2 * file.diff.length, 500)
    return repo.git.cache.set(repo, 'merge-request-diff', key, { content, bytes })
  })
}

/** Streams the whole diff of the newest version as git prints it. */
export function rawDiff(
  ctx: Ctx,
  project: Project,
  request: MergeRequestRow,
  signal: AbortSignal,
): Promise<Readable | string> {
  return withVersion(ctx, project, request, async (repo, version) => {
    if (!version || !(await hasCommits(repo, version))) return ''
    const stream = await openDiff(repo, comparisonOf(version), { signal })
    stream.stdout.once('close', () => stream.stop())
    stream.done.catch((error: Error) => stream.stdout.destroy(error))
    return stream.stdout
  })
}

/** Returns one page of the commits of the newest version, newest first. */
export function commitPage(
  ctx: Ctx,
  project: Project,
  request: MergeRequestRow,
  range: PageRange,
): Promise<Rows<CommitRow>> {
  return withVersion(ctx, project, request, async (repo, version) => {
    if (!version) return { rows: [], total: 0 }
    const commits = await readCommits(repo, store.commitIdsOf(ctx.db, version.id, range))
    const path = fullPath(project)
    const rows = commits.map((commit) => ({ commit, path, project_id: project.id }))
    return { rows, total: version.commits_count }
  })
}

/** Returns one page of the versions, newest first. */
export function versionPage(
  ctx: Ctx,
  project: Project,
  request: MergeRequestRow,
  range: PageRange,
): Promise<Rows<DiffVersionRow>> {
  return withVersion(ctx, project, request, async () => store.list(ctx.db, request.id, range))
}

/** Returns a version with its commits and files. Throws `404 Not found`. */
export function findVersion(ctx: Ctx, project: Project, request: MergeRequestRow, id: number) {
  return withVersion(ctx, project, request, async (repo) => {
    const version = store.byId(ctx.db, id)
    if (version?.merge_request_id !== request.id) throw new Failure('not_found', '404 Not found')
    const [commits, diff] = await Promise.all([
      readCommits(repo, store.commitIdsOf(ctx.db, version.id)),
      diffOf(repo, version, diffLimits(ctx)),
    ])
    return { version, path: fullPath(project), commits, diffs: diff.files }
  })
}
