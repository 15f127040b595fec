import { childOf, childrenOf, shaOf, textOf, timeOf, integerOf } from './checked.ts'
import {
  UnusableRecord,
  type VersionCommit,
  type VersionDiff,
  type Fields,
  type Source,
  type Target,
} from './relation.ts'
import { commitsOfVersion, type RequestRow } from './store-planning.ts'

/** Reads the diffs of versions, in the order of their merge requests. */
export class DiffReader {
  readonly #results: AsyncIterator<VersionDiff | null>

  constructor(source: Source, rows: Iterable<RequestRow>) {
    this.#results = source.code.diffs(pairsOf(rows))[Symbol.asyncIterator]()
  }

  /** The diff of the next merge request; null if it has no version or its commits no longer exist. */
  async next(row: RequestRow): Promise<VersionDiff | null> {
    if (row.diff_head === null || row.diff_start === null) return null
    const answer = await this.#results.next()
    return answer.done ? null : answer.value
  }

  async close(): Promise<void> {
    await this.#results.return?.()
  }
}

function* pairsOf(rows: Iterable<RequestRow>): Generator<readonly [string, string]> {
  for (const { diff_head, diff_base, diff_start } of rows)
    if (diff_head !== null && diff_start !== null) yield [diff_base ?? diff_start, diff_head]
}

/** Reads the commits of versions, in the order of their merge requests. The commits of a version are newest first. */
export class CommitReader {
  readonly #source: Source
  readonly #results: AsyncIterator<VersionCommit | null>

  constructor(source: Source, rows: Iterable<RequestRow>) {
    this.#source = source
    this.#results = source.code.commits(this.#idsOf(rows))[Symbol.asyncIterator]()
  }

  /** The commits of the next merge request, with their data. */
  async next(row: RequestRow): Promise<{ sha: string; commit: VersionCommit | null }[]> {
    const result: { sha: string; commit: VersionCommit | null }[] = []
    for (const sha of this.#shasOf(row)) {
      const answer = await this.#results.next()
      result.push({ sha, commit: answer.done ? null : answer.value })
    }
    return result
  }

  async close(): Promise<void> {
    await this.#results.return?.()
  }

  #shasOf({ latest_diff_id }: RequestRow): string[] {
    return latest_diff_id === null ? [] : commitsOfVersion(this.#source, latest_diff_id)
  }

  *#idsOf(rows: Iterable<RequestRow>): Generator<string> {
    for (const row of rows) yield* this.#shasOf(row)
  }
}

/** The newest version of a merge request, with its commits and files. */
export function versionRecord(
  row: RequestRow,
  diff: VersionDiff | null,
  commits: readonly { sha: string; commit: VersionCommit | null }[],
): Fields {
  return {
    state: row.diff_state,
    base_commit_sha: row.diff_base,
    head_commit_sha: row.diff_head,
    start_commit_sha: row.diff_start,
    real_size: row.diff_size,
    commits_count: row.diff_commits,
    files_count: diff === null ? null : diff.files.length,
    sorted: true,
    diff_type: 'regular',
    created_at: row.diff_created_at,
    updated_at: row.diff_created_at,
    merge_request_diff_commits: commitRecords(commits),
    merge_request_diff_files: (diff?.files ?? []).map(({ diff: utf8_diff, ...file }, relative_order) => ({
      relative_order,
      ...file,
      encoded_file_path: false,
      utf8_diff,
    })),
  }
}

/** Commits of a version, newest first. */
function commitRecords(commits: readonly { sha: string; commit: VersionCommit | null }[]): Fields[] {
  return commits.map(({ sha, commit }, relative_order) => ({
    sha,
    relative_order,
    message: commit?.message ?? null,
    authored_date: commit?.authored_date ?? null,
    committed_date: commit?.committed_date ?? null,
    trailers: {},
    ...(commit && {
      author_name: commit.author_name,
      author_email: commit.author_email,
      committer_name: commit.committer_name,
      committer_email: commit.committer_email,
      commit_author: { name: commit.author_name, email: commit.author_email },
      committer: { name: commit.committer_name, email: commit.committer_email },
    }),
  }))
}

/** The maximum number of commits of a version that are imported. */
const MAX_COMMITS = 10_000

/**
 * Imports the newest version of a merge request: base, start and head, and the list of its commits. The files of the
 * record are not imported, because git can compute the diff. Returns the ID of the version, or null if the record has
 * none.
 */
export function importVersion(record: Fields, target: Target, requestId: number): number | null {
  const version = childOf(record, 'merge_request_diff')
  if (version === null) return null
  try {
    return insertVersion({ diff_head_sha: record['diff_head_sha'] ?? null, ...version }, target, requestId)
  } catch (error) {
    target.skip('merge_request_diff', error)
    return null
  }
}

function insertVersion(version: Fields, target: Target, requestId: number): number | null {
  const commits = commitsOf(version)
  // Older archives contain only the base commit.
  const head_commit_sha = shaOf(version, 'head_commit_sha') ?? commits[0] ?? shaOf(version, 'diff_head_sha')
  const base_commit_sha = shaOf(version, 'base_commit_sha')
  const start_commit_sha = shaOf(version, 'start_commit_sha') ?? base_commit_sha
  if (head_commit_sha === null || start_commit_sha === null) {
    // The source branch has no commits of its own.
    if (stateOf(version) === 'empty') return null
    throw new UnusableRecord('head_commit_sha is invalid')
  }
  const id = target.insert('merge_request_diffs', {
    merge_request_id: requestId,
    state: stateOf(version),
    head_commit_sha,
    base_commit_sha,
    start_commit_sha,
    real_size: sizeOf(version),
    commits_count: commits.length,
    created_at: timeOf(version, 'created_at') ?? target.now,
  })
  for (const [position, sha] of commits.entries())
    target.link('merge_request_diff_commits', { diff_id: id, position, sha })
  target.update('merge_requests', requestId, { latest_diff_id: id, head_sha: head_commit_sha })
  return id
}

/** The commits of a version by their number in the record, newest first. */
function commitsOf(version: Fields): string[] {
  const numberedCommits = childrenOf(version, 'merge_request_diff_commits').map((commit, index) => ({
    sha: shaOf(commit, 'sha'),
    order: integerOf(commit, 'relative_order', { min: 0 }) ?? index,
  }))
  return numberedCommits
    .sort((a, b) => a.order - b.order)
    .flatMap(({ sha }) => (sha === null ? [] : [sha]))
    .slice(0, MAX_COMMITS)
}

function stateOf(version: Fields): 'collected' | 'overflow' | 'without_files' | 'empty' {
  const state = textOf(version, 'state', 64) ?? 'collected'
  if (state === 'empty' || state === 'without_files') return state
  return state.startsWith('overflow') || state === 'timeout' ? 'overflow' : 'collected'
}

function sizeOf(version: Fields): string | null {
  const size = version['real_size'] ?? version['files_count']
  if (typeof size === 'number' && Number.isInteger(size) && size >= 0) return String(size)
  return typeof size === 'string' && /^\d{1,9}\+?$/.test(size) ? size : null
}
