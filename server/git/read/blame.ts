import { git, path, sha, value } from '../args.ts'
import { GitError } from '../errors.ts'
import { open } from '../process/run.ts'
import type { Repo } from '../types.ts'

/** Consecutive lines of a file from one commit. */
export interface BlameHunk {
  /** Full id. */
  readonly commit: string
  /** Number of the first line, from 1. */
  readonly start_line: number
  /** The lines without line ends. Bytes that are not UTF-8 become U+FFFD. */
  readonly lines: readonly string[]
}

export interface BlameOptions {
  /** The lines from `start` to `end`, both included and counted from 1; default all. Lines after the end are ignored. */
  readonly range?: { readonly start: number; readonly end: number }
  readonly signal?: AbortSignal
}

/** The maximum size of a cached result. */
const MAX_CACHED_BYTES = 4 * 1024 * 1024
const MAX_BYTES = 64 * 1024 * 1024

/**
 * The commit of each line of a file in the history of `commit` (full id). The file must exist there. The result is
 * cached.
 */
export async function readBlame(
  repo: Repo,
  commit: string,
  file: string,
  options: BlameOptions = {},
): Promise<readonly BlameHunk[]> {
  const { range } = options
  const key = JSON.stringify([commit, file, range])
  const cached = repo.git.cache.get<readonly BlameHunk[]>(repo, 'blame', key)
  if (cached !== undefined) return cached
  const { hunks, bytes } = await collect(repo, commit, file, options)
  if (bytes > MAX_CACHED_BYTES) return hunks
  return repo.git.cache.set(repo, 'blame', key, { content: hunks, bytes: 500 + 3 * bytes })
}

async function collect(repo: Repo, commit: string, file: string, options: BlameOptions) {
  const { range, signal } = options
  const lines = range ? git`-L ${value(range.start)},${value(range.end)}` : null
  const args = git`blame --porcelain ${lines} ${sha(commit)} -- ${path(file)}`
  const stream = await open(repo, 'blame', args, { signal, ok: [0, 128] })
  const hunks: MutableHunk[] = []
  let bytes = 0
  let header = ''
  for await (const line of textLines(stream.stdout)) {
    if (line[0] === '\t') {
      bytes += line.length + 20
      if (bytes > MAX_BYTES)
        throw new GitError({ operation: 'blame', args: args.words, reason: 'output_limit' })
      addLine(hunks, header, line.slice(1))
    } else if (HEADER.test(line)) header = line
  }
  const { code, stderr } = await stream.done
  // A range that begins after the end of the file has no lines.
  if (code === 0 || /^fatal: file .* has only \d+ lines?$/ms.test(stderr)) return { hunks, bytes }
  throw new GitError({ operation: 'blame', args: args.words, reason: 'exit', code, stderr })
}

interface MutableHunk extends BlameHunk {
  readonly lines: string[]
}

/** The first header line, `<id> <original line> <final line>`. Other header lines are ignored. */
const HEADER = /^[0-9a-f]{40,64} \d+ \d+/

function addLine(hunks: MutableHunk[], header: string, text: string): void {
  const [commit = '', , number] = header.split(' ')
  const last = hunks.at(-1)
  if (last?.commit === commit) last.lines.push(text)
  else hunks.push({ commit, start_line: Number(number), lines: [text] })
}

async function* textLines(source: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest: Buffer[] = []
  for await (const chunk of source) {
    const end = chunk.lastIndexOf(10)
    if (end === -1) {
      rest.push(chunk)
      continue
    }
    const line = Buffer.concat([...rest, chunk.subarray(0, end)])
    rest = [chunk.subarray(end + 1)]
    yield* line.toString('utf8').split('\n')
  }
}
