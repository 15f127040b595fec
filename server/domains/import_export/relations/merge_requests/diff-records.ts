import type { CommitOfDiff, DiffOfPair, Fields, Source } from '../relation.ts'
import type { RequestRow } from './records.ts'

/** The differences of versions, in the order of their merge requests. */
export class DiffLine {
  readonly #answers: AsyncIterator<DiffOfPair | null>

  constructor(from: Source, rows: Iterable<RequestRow>) {
    this.#answers = from.code.diffs(pairsOf(rows))[Symbol.asyncIterator]()
  }

  /** That of the next merge request; null where it has no version, or its commits are gone. */
  async next(row: RequestRow): Promise<DiffOfPair | null> {
    if (row.diff_head === null || row.diff_start === null) return null
    const answer = await this.#answers.next()
    return answer.done ? null : answer.value
  }

  async end(): Promise<void> {
    await this.#answers.return?.()
  }
}

function* pairsOf(rows: Iterable<RequestRow>): Generator<readonly [string, string]> {
  for (const { diff_head, diff_base, diff_start } of rows)
    if (diff_head !== null && diff_start !== null) yield [diff_base ?? diff_start, diff_head]
}

const COMMITS = 'SELECT sha FROM merge_request_diff_commits WHERE diff_id = ? ORDER BY position'

/** The commits of versions, in the order of their merge requests, newest first within each. */
export class CommitLine {
  readonly #from: Source
  readonly #answers: AsyncIterator<CommitOfDiff | null>

  constructor(from: Source, rows: Iterable<RequestRow>) {
    this.#from = from
    this.#answers = from.code.commits(this.#idsOf(rows))[Symbol.asyncIterator]()
  }

  /** Those of the next merge request, with what git says of them where it has them. */
  async next(row: RequestRow): Promise<{ sha: string; commit: CommitOfDiff | null }[]> {
    const found: { sha: string; commit: CommitOfDiff | null }[] = []
    for (const sha of this.#shasOf(row)) {
      const answer = await this.#answers.next()
      found.push({ sha, commit: answer.done ? null : answer.value })
    }
    return found
  }

  async end(): Promise<void> {
    await this.#answers.return?.()
  }

  #shasOf({ latest_diff_id }: RequestRow): string[] {
    return this.#from.db.many<{ sha: string }>(COMMITS, latest_diff_id).map(({ sha }) => sha)
  }

  *#idsOf(rows: Iterable<RequestRow>): Generator<string> {
    for (const row of rows) if (row.latest_diff_id !== null) yield* this.#shasOf(row)
  }
}

/** The newest version of a merge request, with its commits and files. */
export function diffRecord(
  row: RequestRow,
  diff: DiffOfPair | null,
  commits: readonly { sha: string; commit: CommitOfDiff | null }[],
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
function commitRecords(commits: readonly { sha: string; commit: CommitOfDiff | null }[]): Fields[] {
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
