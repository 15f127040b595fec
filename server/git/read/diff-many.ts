import { PassThrough } from 'node:stream'

import { git, option } from '../args.ts'
import { DiffCollector } from './diff-collector.ts'
import { diffSections } from './diff-sections.ts'
import type { Diff, DiffLimits } from './diff.ts'
import { isObjectId } from '../names.ts'
import { open, type GitStream } from '../process/run.ts'
import type { Repo } from '../types.ts'

/** Two commits by their full ids. */
export type Pair = readonly [from: string, to: string]

/** The beginning of an input line that marks the end of a pair. Git prints it unchanged, because it is not an id. */
const MARK = '%%end of pair '

/**
 * The diffs of many pairs of commits, in order, each within the limits; null if a commit is missing. One process reads
 * all pairs, until a missing commit ends it. Only the current diff is held in memory.
 */
export async function* diffMany(
  repo: Repo,
  pairs: Iterable<Pair>,
  options: DiffLimits & { readonly signal?: AbortSignal | undefined } = {},
): AsyncGenerator<Diff | null> {
  let diffProcess: DiffProcess | undefined
  let count = 0
  try {
    for (const [from, to] of pairs) {
      if (!isObjectId(from) || !isObjectId(to)) {
        yield null
        continue
      }
      diffProcess ??= await start(repo, options.signal)
      const mark = `${MARK}${(count += 1)}\n`
      // A missing commit ends the process, possibly during this write.
      diffProcess.input.write(`${to} ${from}\n${mark}`)
      const output = diffProcess.upTo(mark, to)
      const collector = new DiffCollector(options)
      let needsMore = true
      const maxBytes = () => (needsMore ? collector.maxSectionBytes : 0)
      const onRaw = (bytes: Buffer) => collector.addRaw(bytes)
      for await (const section of diffSections(output, maxBytes, onRaw))
        needsMore = needsMore && collector.add(section)
      if (!diffProcess.hasEnded) yield diffProcess.hasCommit ? collector.finish() : null
      else {
        await stop(diffProcess)
        diffProcess = undefined
        options.signal?.throwIfAborted()
        yield null
      }
    }
  } finally {
    if (diffProcess) await stop(diffProcess)
  }
}

async function start(repo: Repo, signal: AbortSignal | undefined): Promise<DiffProcess> {
  const args = git`diff-tree --stdin --always --raw --patch -r --find-renames --no-ext-diff --no-textconv --full-index ${option('--unified', 3)}`
  const input = new PassThrough()
  const stream = await open(repo, 'diff.read_many', args, {
    input,
    pool: 'transfer',
    timeoutMs: 6 * 3_600_000,
    ...(signal ? { signal } : {}),
  })
  stream.done.catch(() => undefined)
  return new DiffProcess(stream, input)
}

async function stop({ stream, input }: DiffProcess): Promise<void> {
  input.destroy()
  stream.stop()
  await stream.done.catch(() => undefined)
}

/** A running process, with its output split at the marks. */
class DiffProcess {
  readonly stream: GitStream
  readonly input: PassThrough
  readonly #output: AsyncIterator<Buffer>
  #buffer: Buffer = Buffer.alloc(0)
  /** True if the process ended before it printed the mark. */
  hasEnded = false
  /** True if the output of the current pair began with the id of its commit. */
  hasCommit = false

  constructor(stream: GitStream, input: PassThrough) {
    this.stream = stream
    this.input = input
    this.#output = (stream.stdout as AsyncIterable<Buffer>)[Symbol.asyncIterator]()
  }

  /** Yields the output up to the mark, without the commit id at its beginning. */
  async *upTo(mark: string, id: string): AsyncGenerator<Buffer> {
    this.hasCommit = await this.#skip(`${id}\n`)
    if (this.hasEnded || (await this.#skip(mark))) return
    // A line of a file cannot be the mark, because lines of a diff begin with other characters.
    const markLine = Buffer.from(`\n${mark}`)
    for (;;) {
      const at = this.#buffer.indexOf(markLine)
      const upTo = at === -1 ? Math.max(0, this.#buffer.length - markLine.length) : at + 1
      if (upTo > 0) yield this.#buffer.subarray(0, upTo)
      this.#buffer = this.#buffer.subarray(at === -1 ? upTo : at + markLine.length)
      if (at !== -1 || !(await this.#readMore())) return
    }
  }

  /** Skips a text if the output continues with it. Returns true if it does. */
  async #skip(text: string): Promise<boolean> {
    const expected = Buffer.from(text)
    for (;;) {
      const length = Math.min(expected.length, this.#buffer.length)
      if (!this.#buffer.subarray(0, length).equals(expected.subarray(0, length))) return false
      if (length === expected.length) break
      if (!(await this.#readMore())) return false
    }
    this.#buffer = this.#buffer.subarray(expected.length)
    return true
  }

  async #readMore(): Promise<boolean> {
    const next = await this.#output.next().catch(() => ({ done: true, value: undefined }) as const)
    if (next.done) {
      this.hasEnded = true
      return false
    }
    this.#buffer = this.#buffer.length === 0 ? next.value : Buffer.concat([this.#buffer, next.value])
    return true
  }
}
