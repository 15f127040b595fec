import { listChanges } from '../../../../git/changes.ts'
import { readDiff } from '../../../../git/diff.ts'
import type { Repo } from '../../../../git/types.ts'
import type { Position } from '../../../discussions/index.ts'
import type { DiffVersionRow } from '../../diffs/store.ts'
import { Files } from './files.ts'
import { tracePosition, type VersionRefs } from './trace.ts'

const MB = 1024 * 1024

/** Far above what people comment on; what is larger counts as changed. */
const LIMITS = { max_files: 2000, max_file_bytes: 8 * MB, max_bytes: 64 * MB, max_lines: 1_000_000 }

/**
 * What differs between two commits in files that have one of these paths before (`old`) or after (`fresh`). Renamed files
 * are found among all files, but only the lines of those asked about are read.
 */
async function readFiles(
  repo: Repo,
  { from, to }: { from: string | null; to: string },
  paths: { readonly old?: ReadonlySet<string>; readonly fresh?: ReadonlySet<string> },
): Promise<Files> {
  if (from === to) return new Files([])
  const changes = (await listChanges(repo, { from, to })).filter(
    (one) => paths.old?.has(one.old_path) || paths.fresh?.has(one.new_path),
  )
  if (changes.length === 0) return new Files([])
  const both = [...new Set(changes.flatMap((one) => [one.old_path, one.new_path]))]
  const { files } = await readDiff(repo, { from, to }, { ...LIMITS, paths: both })
  const known = new Map(files.map((file) => [`${file.old_path}\0${file.new_path}`, file]))
  return new Files(
    changes.map(({ old_path, new_path, status }) => {
      const file = known.get(`${old_path}\0${new_path}`)
      const isKnown = file && !file.binary && !file.too_large && !file.collapsed
      const [new_file, deleted_file] = [status === 'added', status === 'deleted']
      return { old_path, new_path, new_file, deleted_file, diff: isKnown ? file.diff : null }
    }),
  )
}

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
