import { childOf, childrenOf, shaOf, textOf, timeOf, wholeOf } from '../checked.ts'
import { UnusableRecord, type Fields, type Target } from '../relation.ts'

/** Commits of a version that are taken over; it lists no more here. */
const MAX_COMMITS = 10_000

/**
 * Takes over the newest version of a merge request: three commits, and the list of what lies between. The difference itself is
 * git's, so the files of the record are not needed. Gives its id; null where the record has none.
 */
export function takeVersion(record: Fields, into: Target, requestId: number): number | null {
  const version = childOf(record, 'merge_request_diff')
  if (version === null) return null
  try {
    return insertVersion({ diff_head_sha: record['diff_head_sha'] ?? null, ...version }, into, requestId)
  } catch (error) {
    into.skip('merge_request_diff', error)
    return null
  }
}

function insertVersion(version: Fields, into: Target, requestId: number): number | null {
  const commits = commitsOf(version)
  // Older archives name the base alone.
  const head_commit_sha = shaOf(version, 'head_commit_sha') ?? commits[0] ?? shaOf(version, 'diff_head_sha')
  const base_commit_sha = shaOf(version, 'base_commit_sha')
  const start_commit_sha = shaOf(version, 'start_commit_sha') ?? base_commit_sha
  if (head_commit_sha === null || start_commit_sha === null) {
    // A source branch without anything of its own has such a one.
    if (stateOf(version) === 'empty') return null
    throw new UnusableRecord('head_commit_sha is invalid')
  }
  const id = into.insert('merge_request_diffs', {
    merge_request_id: requestId,
    state: stateOf(version),
    head_commit_sha,
    base_commit_sha,
    start_commit_sha,
    real_size: sizeOf(version),
    commits_count: commits.length,
    created_at: timeOf(version, 'created_at') ?? into.now,
  })
  for (const [position, sha] of commits.entries())
    into.link('merge_request_diff_commits', { diff_id: id, position, sha })
  into.update('merge_requests', requestId, { latest_diff_id: id, head_sha: head_commit_sha })
  return id
}

/** Newest first, as the record numbers them. */
function commitsOf(version: Fields): string[] {
  const listed = childrenOf(version, 'merge_request_diff_commits').map((commit, index) => ({
    sha: shaOf(commit, 'sha'),
    order: wholeOf(commit, 'relative_order', { min: 0 }) ?? index,
  }))
  return listed
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
