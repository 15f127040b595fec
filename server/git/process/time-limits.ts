/** Time limits of git commands in seconds; 0 means only the engine's own limit. */
export interface TimeLimits {
  readonly fast: number
  readonly medium: number
  readonly others: number
}

/** Commands that look up a single ref or object. */
const FAST = new Set([
  'head.read',
  'branches.any',
  'refs.any',
  'refs.list',
  'repository.tips',
  'repository.remote_head',
  'commits.is_ancestor',
  'commits.merge_base',
  'blobs.read',
])

/** Commands that list and count. */
const MEDIUM = new Set([
  'authors',
  'branches.merged',
  'commits.count',
  'commits.divergence',
  'commits.follow',
  'commits.ids',
  'commits.last_in_folder',
  'commits.list',
  'commits.paths',
  'commits.read',
  'commits.stats',
  'diff.count',
  'refs.containing',
  'repository.size',
  'tags.list',
  'tree.sizes',
  'tree.walk',
])

/** Commands with streamed output. They have no limit here, because their duration depends on the reader. */
const STREAMED = new Set(['archive', 'blobs.stream', 'diff.stream'])

/** Time limit of an operation in milliseconds; undefined if only the engine's own limit applies. */
export function timeLimitOf(operation: string, limits: TimeLimits): number | undefined {
  if (STREAMED.has(operation)) return undefined
  const seconds = FAST.has(operation) ? limits.fast : MEDIUM.has(operation) ? limits.medium : limits.others
  return seconds === 0 ? undefined : seconds * 1000
}
