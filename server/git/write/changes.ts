import { git, option, path, sha } from '../args.ts'
import type { Args } from '../args.ts'
import { GitError } from '../errors.ts'
import { TimeSlices } from '../../lib/time-slices.ts'
import { nulBatches } from '../parse.ts'
import { open } from '../process/run.ts'
import type { GitStream } from '../process/run.ts'
import type { Repo } from '../types.ts'

/** The id of the empty tree, which exists in every repository. */
export const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'

/** Two commits or trees (full ids). `from: null` compares with the empty tree. */
export interface Comparison {
  readonly from: string | null
  readonly to: string
}

export type ChangeStatus = 'added' | 'deleted' | 'modified' | 'renamed' | 'copied' | 'type_changed'

export interface Change {
  readonly status: ChangeStatus
  readonly old_path: string
  readonly new_path: string
  /** The modes are six octal digits, and all zero if the file does not exist. */
  readonly old_mode: string
  readonly new_mode: string
  readonly old_id: string
  readonly new_id: string
}

export interface LineChange {
  readonly old_path: string
  readonly new_path: string
  /** The numbers of added and removed lines; null for binary files. */
  readonly additions: number | null
  readonly deletions: number | null
}

interface ChangeOptions {
  readonly paths?: readonly string[]
  /** True to detect renamed files; default true. */
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

/** The arguments of all comparisons. They are recursive, and ignore attributes and configuration. */
export function comparisonArgs(comparison: Comparison, options: ChangeOptions = {}): Args {
  const renames = options.renames === false ? option('--no-renames') : option('--find-renames')
  const from = sha(comparison.from ?? EMPTY_TREE)
  return git`-r ${renames} --no-ext-diff --no-textconv --full-index ${from} ${sha(comparison.to)} -- ${(options.paths ?? []).map(path)}`
}

/** The comparison of a commit with its first parent, or with the empty tree when it has no parent. */
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
  const changes: Change[] = []
  let line: Omit<Change, 'old_path' | 'new_path'> | undefined
  let previousPath: string | undefined
  await eachToken(repo, { operation: 'diff.changes', args, env: options.env }, (token) => {
    if (line === undefined) line = parseRawLine(token)
    else if (previousPath === undefined && (line.status === 'renamed' || line.status === 'copied'))
      previousPath = token
    else {
      changes.push({ ...line, old_path: previousPath ?? token, new_path: token })
      line = previousPath = undefined
    }
  })
  return changes
}

/** Reads NUL-separated output in time slices, so that a long list does not block the event loop. */
async function eachToken(
  repo: Repo,
  command: { operation: string; args: Args; env: ChangeOptions['env'] },
  read: (token: string) => void,
): Promise<void> {
  const { operation, args, env } = command
  const stream = await open(repo, operation, args, env ? { env } : {})
  const slices = new TimeSlices()
  let bytes = 0
  try {
    for await (const batch of nulBatches(stream.stdout as AsyncIterable<Buffer>)) {
      for (const token of batch) {
        bytes += token.length
        read(token.toString('utf8'))
      }
      if (bytes > MAX_LIST_BYTES) throw new GitError({ operation, args: args.words, reason: 'output_limit' })
      if (slices.isOver()) await slices.next()
    }
  } catch (error) {
    stream.stop()
    await stream.done
    throw error
  }
  await stream.done
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

/** The numbers of added and removed lines of each file that differs. */
export async function countChanges(
  repo: Repo,
  comparison: Comparison,
  options: ChangeOptions = {},
): Promise<LineChange[]> {
  const args = git`diff-tree --numstat -z ${comparisonArgs(comparison, options)}`
  const changes: LineChange[] = []
  let counts: Pick<LineChange, 'additions' | 'deletions'> | undefined
  let previousPath: string | undefined
  await eachToken(repo, { operation: 'diff.count', args, env: options.env }, (token) => {
    if (counts === undefined) {
      const [, added, deleted, file] = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(token) ?? []
      counts = { additions: lineCount(added), deletions: lineCount(deleted) }
      // The two paths of a renamed file follow in separate records.
      if (!file) return
      previousPath = file
      token = file
    } else if (previousPath === undefined) {
      previousPath = token
      return
    }
    changes.push({ old_path: previousPath!, new_path: token, ...counts })
    counts = previousPath = undefined
  })
  return changes
}

function lineCount(text: string | undefined): number | null {
  return text === undefined || text === '-' ? null : Number(text)
}

/** Streams the whole diff, in git's format. */
export function openDiff(
  repo: Repo,
  comparison: Comparison,
  options: ChangeOptions & { signal?: AbortSignal } = {},
): Promise<GitStream> {
  const args = git`diff-tree --patch ${comparisonArgs(comparison, options)}`
  return open(repo, 'diff.stream', args, { pool: 'transfer', signal: options.signal })
}
