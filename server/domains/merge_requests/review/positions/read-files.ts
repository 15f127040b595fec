import { listChanges } from '../../../../git/changes.ts'
import { readDiff } from '../../../../git/diff.ts'
import type { Repo } from '../../../../git/types.ts'
import { Files } from './files.ts'

const MB = 1024 * 1024
/** Far above what people comment on; what is larger counts as changed. */
const LIMITS = { max_files: 2000, max_file_bytes: 8 * MB, max_bytes: 64 * MB, max_lines: 1_000_000 }

/**
 * What differs between two commits in files that have one of these paths before (`old`) or after (`fresh`). Renamed files
 * are found among all files, but only the lines of those asked about are read.
 */
export async function readFiles(
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
