import { git, option, path, sha, value } from '../args.ts'
import { open } from '../process/run.ts'
import type { Repo } from '../types.ts'

/** A match with the lines around it. Matches with overlapping lines are one hit. */
export interface GrepHit {
  readonly path: string
  /** Number of the first line of `lines`, from 1. */
  readonly start_line: number
  /** Number of the first line that contains the text. */
  readonly match_line: number
  /** The lines without line ends. */
  readonly lines: readonly string[]
}

export interface GrepOptions {
  /** The files and folders to search; default all. */
  readonly paths?: readonly string[]
  /** The maximum number of hits, default 100. The search ends at this number. */
  readonly limit?: number
  /** Lines before and after the match; default 2. */
  readonly context?: number
  readonly signal?: AbortSignal
}

interface Line {
  readonly path: string
  readonly number: number
  readonly text: string
}

/** The maximum number of characters of a line. Longer lines (minified code) are cut. */
const MAX_LINE = 1000
const MAX_RECORD = 4 * 1024 * 1024
const TIMEOUT_MS = 60_000

/**
 * Finds a literal text in the files of a commit (full id), case-insensitive, without binary files. Sorted by path, then
 * by line.
 */
export async function grep(
  repo: Repo,
  commit: string,
  text: string,
  options: GrepOptions = {},
): Promise<GrepHit[]> {
  // Git would search for each line of the text separately.
  if (text === '' || text.includes('\n')) return []
  const context = option('--context', options.context ?? 2)
  const args = git`grep -z -n -I -i --full-name --fixed-strings --no-color --no-textconv ${context}
    -e${value(text)} ${sha(commit)} -- ${(options.paths ?? []).map(path)}`
  const runOptions = { ok: [0, 1], timeoutMs: TIMEOUT_MS, signal: options.signal }
  const stream = await open(repo, 'grep', args, runOptions)
  const collector = new HitCollector(text.toLowerCase(), options.limit ?? 100)
  for await (const line of grepLines(stream.stdout, commit.length + 1)) {
    if (!collector.add(line)) break
  }
  await stream.done
  return collector.finish()
}

/** Groups lines into hits. */
class HitCollector {
  readonly #needle: string
  readonly #limit: number
  readonly #hits: GrepHit[] = []
  /** The lines of the current hit. */
  #lines: Line[] = []

  constructor(needle: string, limit: number) {
    this.#needle = needle
    this.#limit = limit
  }

  /** Adds a line, or null for the end of a hit. Returns false when there are enough hits. */
  add(line: Line | null): boolean {
    const last = this.#lines.at(-1)
    if (last && (line === null || line.path !== last.path || line.number !== last.number + 1)) this.#close()
    if (this.#hits.length >= this.#limit) return false
    if (line !== null) this.#lines.push(line)
    return true
  }

  finish(): GrepHit[] {
    if (this.#lines.length > 0 && this.#hits.length < this.#limit) this.#close()
    return this.#hits
  }

  #close(): void {
    const first = this.#lines[0]!
    const match = this.#lines.find((line) => line.text.toLowerCase().includes(this.#needle)) ?? first
    this.#hits.push({
      path: first.path,
      start_line: first.number,
      match_line: match.number,
      lines: this.#lines.map((line) => line.text.slice(0, MAX_LINE)),
    })
    this.#lines = []
  }
}

/**
 * Reads `<commit>:<path>NUL<number>NUL<text>LF`, with `--LF` between hits. A path may contain a line end, so the parser
 * reads field by field, not line by line.
 */
async function* grepLines(source: AsyncIterable<Buffer>, prefix: number): AsyncGenerator<Line | null> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of source) {
    const data = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let at = 0
    for (;;) {
      if (data.length - at >= 3 && data.toString('latin1', at, at + 3) === '--\n') {
        yield null
        at += 3
        continue
      }
      const record = readRecord(data, at, prefix)
      if (record === null) break
      yield record.line
      at = record.end
    }
    rest = data.subarray(at)
    // The search stops at a line of megabytes, to save memory.
    if (rest.length > MAX_RECORD) return
  }
}

function readRecord(data: Buffer, at: number, prefix: number): { line: Line; end: number } | null {
  const pathEnd = data.indexOf(0, at)
  const numberEnd = pathEnd === -1 ? -1 : data.indexOf(0, pathEnd + 1)
  const end = numberEnd === -1 ? -1 : data.indexOf(10, numberEnd + 1)
  if (end === -1) return null
  const line = {
    path: data.toString('utf8', at + prefix, pathEnd),
    number: Number(data.toString('latin1', pathEnd + 1, numberEnd)),
    text: data.toString('utf8', numberEnd + 1, end),
  }
  return { line, end: end + 1 }
}
