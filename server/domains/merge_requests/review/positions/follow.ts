import type { Repo } from '../../../../git/types.ts'
import type { Position } from '../../../discussions/index.ts'
import type { DiffVersionRow } from '../../diffs/store.ts'
import { readFiles } from './read-files.ts'
import { tracePosition, type VersionRefs } from './trace.ts'

/** The commits of a version under the names that places have for them. */
export function refsOf(version: DiffVersionRow): VersionRefs {
  return {
    base_sha: version.base_commit_sha ?? version.start_commit_sha,
    start_sha: version.start_commit_sha,
    head_sha: version.head_commit_sha,
  }
}

/** Whether a place is one in the diff of this version. */
export function isIn(position: Position, refs: VersionRefs): boolean {
  return (
    position.head_sha === refs.head_sha &&
    position.base_sha === refs.base_sha &&
    position.start_sha === refs.start_sha
  )
}

/**
 * Where places in one version are in another one, in their order; undefined for those that are outdated there. Git is
 * asked three times however many places there are.
 */
export async function followPositions(
  repo: Repo,
  from: VersionRefs,
  to: VersionRefs,
  positions: readonly Position[],
): Promise<(Position | undefined)[]> {
  if (positions.length === 0) return []
  const oldPaths = new Set(positions.map((one) => one.old_path))
  const newPaths = new Set(positions.map((one) => one.new_path))
  const [ac, bd] = await Promise.all([
    readFiles(repo, { from: from.base_sha, to: to.base_sha }, { old: oldPaths }),
    readFiles(repo, { from: from.head_sha, to: to.head_sha }, { old: newPaths }),
  ])
  const cd = await readFiles(
    repo,
    { from: to.base_sha, to: to.head_sha },
    {
      old: new Set([...oldPaths].map((path) => ac.from(path).new_path)),
      fresh: new Set([...newPaths].map((path) => bd.from(path).new_path)),
    },
  )
  return positions.map((position) => tracePosition(position, to, { ac, bd, cd }))
}
