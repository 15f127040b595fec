import { git, option, path, sha } from './args.ts'
import type { Args } from './args.ts'
import { GitError } from './errors.ts'
import { splitNul } from './parse.ts'
import { open, run } from './run.ts'
import type { GitStream } from './run.ts'
import type { Repo } from './types.ts'

/** Id of the tree without entries, which every git knows. */
export const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'

/** Two commits or trees by their full ids; `from: null` compares with nothing. */
export interface Comparison {
  readonly from: string | null
  readonly to: string
}

export type ChangeStatus = 'added' | 'deleted' | 'modified' | 'renamed' | 'copied' | 'type_changed'

export interface Change {
  readonly status: ChangeStatus
  readonly old_path: string
  readonly new_path: string
  /** Six octal digits; all zero where the file does not exist. */
  readonly old_mode: string
  readonly new_mode: string
  readonly old_id: string
  readonly new_id: string
}

export interface LineChange {
  readonly old_path: string
  readonly new_path: string
  /** Null for binary files. */
  readonly additions: number | null
  readonly deletions: number | null
}

interface ChangeOptions {
  readonly paths?: readonly string[]
  /** Find renamed files; default true. */
  readonly renames?: boolean
  readonly env?: Readonly<Record<string, string>>
}

const STATUSES: Readonly<Record<string, ChangeStatus>> = {
  A: 'added',
  D: 'deleted',
  M: 'modified',
  R: 'renamed',
  C: 'copied',
  T: 'type_changed',
}
const MAX_LIST_BYTES = 256 * 1024 * 1024

/** What all comparisons have in common: recursive, nothing from attributes or settings. */
export function comparisonArgs(comparison: Comparison, options: ChangeOptions = {}): Args {
  const renames = options.renames === false ? option('--no-renames') : option('--find-renames')
  const from = sha(comparison.from ?? EMPTY_TREE)
  return git`-r ${renames} --no-ext-diff --no-textconv --full-index ${from} ${sha(comparison.to)} -- ${(options.paths ?? []).map(path)}`
}

/** The comparison of a commit with its first parent, or with nothing when it has none. */
export function againstParent(commit: { id: string; parent_ids: readonly string[] }): Comparison {
  return { from: commit.parent_ids[0] ?? null, to: commit.id }
}

/** The files that differ, without their content. */
export async function listChanges(
  repo: Repo,
  comparison: Comparison,
  options: ChangeOptions = {},
): Promise<Change[]> {
  const args = git`diff-tree --raw -z ${comparisonArgs(comparison, options)}`
  const { stdout } = await run(repo, 'diff.changes', args, { maxBytes: MAX_LIST_BYTES, env: options.env })
  const tokens = splitNul(stdout)
  const changes: Change[] = []
  for (let at = 0; at < tokens.length;) {
    const line = parseRawLine(tokens[at++]!)
    const oldPath = tokens[at++] ?? ''
    const newPath = line.status === 'renamed' || line.status === 'copied' ? (tokens[at++] ?? '') : oldPath
    changes.push({ ...line, old_path: oldPath, new_path: newPath })
  }
  return changes
}

/** Reads `:100644 100644 <id> <id> M`, the part of a raw line before the paths. */
export function parseRawLine(text: string): Omit<Change, 'old_path' | 'new_path'> {
  const [oldMode, newMode, oldId, newId, letter] = text.split(' ')
  const status = STATUSES[letter?.[0] ?? '']
  if (status === undefined || !text.startsWith(':')) {
    throw new GitError({
      operation: 'diff.changes',
      args: [],
      reason: 'unexpected_output',
      stderr: text.slice(0, 200),
    })
  }
  return { status, old_mode: oldMode!.slice(1), new_mode: newMode!, old_id: oldId!, new_id: newId! }
}

/** Lines added and removed in each file that differs. */
export async function countChanges(
  repo: Repo,
  comparison: Comparison,
  options: ChangeOptions = {},
): Promise<LineChange[]> {
  const args = git`diff-tree --numstat -z ${comparisonArgs(comparison, options)}`
  const { stdout } = await run(repo, 'diff.count', args, { maxBytes: MAX_LIST_BYTES, env: options.env })
  const tokens = splitNul(stdout)
  const changes: LineChange[] = []
  for (let at = 0; at < tokens.length;) {
    const [, added, deleted, file] = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(tokens[at++]!) ?? []
    // A renamed file has its two paths in records of their own.
    const oldPath = file || (tokens[at++] ?? '')
    const newPath = file || (tokens[at++] ?? '')
    changes.push({
      old_path: oldPath,
      new_path: newPath,
      additions: lineCount(added),
      deletions: lineCount(deleted),
    })
  }
  return changes
}

function lineCount(text: string | undefined): number | null {
  return text === undefined || text === '-' ? null : Number(text)
}

/** The whole difference as git prints it, as a stream. */
export function openDiff(
  repo: Repo,
  comparison: Comparison,
  options: ChangeOptions & { signal?: AbortSignal } = {},
): Promise<GitStream> {
  const args = git`diff-tree --patch ${comparisonArgs(comparison, options)}`
  return open(repo, 'diff.stream', args, { place: 'transfer', signal: options.signal })
}
