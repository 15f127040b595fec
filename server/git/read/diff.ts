import { git, option } from '../args.ts'
import { comparisonArgs, countChanges } from '../write/changes.ts'
import type { Comparison } from '../write/changes.ts'
import { DiffCollector } from './diff-collector.ts'
import { diffSections } from './diff-sections.ts'
import { open } from '../process/run.ts'
import type { Repo } from '../types.ts'

export interface FileDiff {
  readonly old_path: string
  readonly new_path: string
  /** Octal; `0` where the file does not exist. */
  readonly a_mode: string
  readonly b_mode: string
  readonly old_id: string
  readonly new_id: string
  readonly new_file: boolean
  readonly renamed_file: boolean
  readonly deleted_file: boolean
  readonly binary: boolean
  /** Hunks from the first `@@` on. For binary files git's sentence that they differ. Empty when not kept. */
  readonly diff: string
  /** Lines added and removed, also when the text was left out. 0 for binary files. */
  readonly additions: number
  readonly deletions: number
  /** The text was left out because this file alone is over the limit. */
  readonly too_large: boolean
  /** The text was left out because the files before it used up the limits. */
  readonly collapsed: boolean
}

export interface Diff {
  readonly files: readonly FileDiff[]
  /** Files that differ, including those beyond the limit. */
  readonly total_files: number
  /** True when something was left out because of a limit over all files. */
  readonly overflow: boolean
}

export interface DiffLimits {
  /** Default 1000. */
  readonly max_files?: number
  /** Default 50,000. */
  readonly max_lines?: number
  /** Over all files; default 5 MiB. */
  readonly max_bytes?: number
  /** For one file; default 200 KiB. */
  readonly max_file_bytes?: number
}

export interface DiffOptions extends DiffLimits {
  readonly paths?: readonly string[]
  readonly ignore_whitespace?: boolean
  /** Unchanged lines around a change; default 3. */
  readonly context?: number
  readonly signal?: AbortSignal
}

/** The counts of more files are not worth another reading. */
const MAX_COUNTED_FILES = 10_000

/** The diff of two commits or trees, file by file, within limits. Reading stops at the limits. The result is cached. */
export async function readDiff(repo: Repo, comparison: Comparison, options: DiffOptions = {}): Promise<Diff> {
  const { signal, ...question } = options
  const key = JSON.stringify([comparison.from, comparison.to, question])
  const cached = repo.git.cache.get<Diff>(repo, 'diff', key)
  if (cached !== undefined) return cached
  const whitespace = options.ignore_whitespace ? option('--ignore-all-space') : null
  // Not -z: it prints paths unquoted, and a path with a line end could imitate the beginning of a file.
  const args = git`diff-tree --raw --patch ${whitespace} ${option('--unified', options.context ?? 3)}
    ${comparisonArgs(comparison, options)}`
  const stream = await open(repo, 'diff.read', args, { signal })
  const collector = new DiffCollector(options)
  const onRaw = (bytes: Buffer) => collector.addRaw(bytes)
  for await (const section of diffSections(stream.stdout, () => collector.keepBytes, onRaw)) {
    if (!collector.add(section)) break
  }
  await stream.done
  const read = collector.finish()
  const isCounted = !collector.isFull || options.ignore_whitespace
  const content = isCounted ? read : await counted(repo, comparison, read, options.paths)
  const bytes = content.files.reduce((sum, file) => sum + 700 + file.diff.length, 500 + 2 * key.length)
  return repo.git.cache.set(repo, 'diff', key, { content, bytes })
}

/** Adds the counts of the files that were not read. */
async function counted(
  repo: Repo,
  comparison: Comparison,
  diff: Diff,
  paths?: readonly string[],
): Promise<Diff> {
  if (diff.total_files > MAX_COUNTED_FILES) return diff
  const changes = await countChanges(repo, comparison, paths ? { paths } : {})
  const byPath = new Map(changes.map((change) => [`${change.old_path}\0${change.new_path}`, change]))
  const files = diff.files.map((file) => {
    const lineChange = file.collapsed ? byPath.get(`${file.old_path}\0${file.new_path}`) : undefined
    return lineChange
      ? { ...file, additions: lineChange.additions ?? 0, deletions: lineChange.deletions ?? 0 }
      : file
  })
  return { ...diff, files }
}
