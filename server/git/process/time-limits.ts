/** How long git may take, in seconds; 0 for no limit but the engine's own. */
export interface TimeLimits {
  readonly fast: number
  readonly medium: number
  readonly others: number
}

/** Whether something is there, and where a ref leads. */
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

/** Lists and counts. */
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

/** What is sent while it is made: how long that takes is up to whoever reads it. */
const STREAMED = new Set(['archive', 'blobs.stream', 'diff.stream'])

/** Milliseconds for a command, by what it is for; undefined where only the engine's own limit holds. */
export function timeLimitOf(operation: string, limits: TimeLimits): number | undefined {
  if (STREAMED.has(operation)) return undefined
  const seconds = FAST.has(operation) ? limits.fast : MEDIUM.has(operation) ? limits.medium : limits.others
  return seconds === 0 ? undefined : seconds * 1000
}
