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
  /** The octal mode before the change; `0` if the file did not exist. */
  readonly a_mode: string
  /** The octal mode after the change; `0` if the file does not exist. */
  readonly b_mode: string
  readonly old_id: string
  readonly new_id: string
  readonly new_file: boolean
  readonly renamed_file: boolean
  readonly deleted_file: boolean
  readonly binary: boolean
  /** The hunks, from the first `@@` on. For binary files, git's sentence that they differ. Empty when left out. */
  readonly diff: string
  /** The number of added lines, also when the text was left out. 0 for binary files. */
  readonly additions: number
  /** The number of removed lines. */
  readonly deletions: number
  /** True if the text was left out because this file alone is over the limit. */
  readonly too_large: boolean
  /** True if the text was left out because the files before it used up the limits. */
  readonly collapsed: boolean
}

export interface Diff {
  readonly files: readonly FileDiff[]
  /** The number of files that differ, including those beyond the limit. */
  readonly total_files: number
  /** True when files or texts were left out because of a limit over all files. */
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

/** The maximum number of files for which git runs again to count the lines of those that were left out. */
const MAX_COUNTED_FILES = 10_000

/** The diff of two commits or trees by file. It is only read up to the limits. The result is cached. */
export async function readDiff(repo: Repo, comparison: Comparison, options: DiffOptions = {}): Promise<Diff> {
  const { signal, ...cachedOptions } = options
  const key = JSON.stringify([comparison.from, comparison.to, cachedOptions])
  const cached = repo.git.cache.get<Diff>(repo, 'diff', key)
  if (cached !== undefined) return cached
  const whitespace = options.ignore_whitespace ? option('--ignore-all-space') : null
  // Without `-z`, paths are quoted, so that no path with a line end looks like the beginning of a file.
  const args = git`diff-tree --raw --patch ${whitespace} ${option('--unified', options.context ?? 3)}
    ${comparisonArgs(comparison, options)}`
  const stream = await open(repo, 'diff.read', args, { signal })
  const collector = new DiffCollector(options)
  const onRaw = (bytes: Buffer) => collector.addRaw(bytes)
  for await (const section of diffSections(stream.stdout, () => collector.maxSectionBytes, onRaw)) {
    if (!collector.add(section)) break
  }
  await stream.done
  const diff = collector.finish()
  const isCounted = !collector.isFull || options.ignore_whitespace
  const content = isCounted ? diff : await withCounts(repo, comparison, diff, options.paths)
  const bytes = content.files.reduce((sum, file) => sum + 700 + file.diff.length, 500 + 2 * key.length)
  return repo.git.cache.set(repo, 'diff', key, { content, bytes })
}

/** Adds the numbers of lines of the files that were left out. */
async function withCounts(
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
