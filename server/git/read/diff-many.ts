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

/** Git prints input lines that are no ids unchanged. No line of a diff begins like this. */
const MARK = '%%end of pair '

/**
 * The diffs of many pairs of commits, in order, each within the limits; null if a commit is missing. One process
 * reads all pairs until a missing commit ends it. Only the current pair is held in memory.
 */
export async function* diffMany(
  repo: Repo,
  pairs: Iterable<Pair>,
  options: DiffLimits & { readonly signal?: AbortSignal | undefined } = {},
): AsyncGenerator<Diff | null> {
  let reading: Reading | undefined
  let count = 0
  try {
    for (const [from, to] of pairs) {
      if (!isObjectId(from) || !isObjectId(to)) {
        yield null
        continue
      }
      reading ??= await begin(repo, options.signal)
      const mark = `${MARK}${(count += 1)}\n`
      // A missing commit ends the process, possibly during this write.
      reading.input.write(`${to} ${from}\n${mark}`)
      const output = reading.upTo(mark, to)
      const collector = new DiffCollector(options)
      let isWanted = true
      const keepBytes = () => (isWanted ? collector.keepBytes : 0)
      const onRaw = (bytes: Buffer) => collector.addRaw(bytes)
      for await (const section of diffSections(output, keepBytes, onRaw))
        isWanted = isWanted && collector.add(section)
      if (!reading.isOver) yield reading.wasFound ? collector.finish() : null
      else {
        await end(reading)
        reading = undefined
        options.signal?.throwIfAborted()
        yield null
      }
    }
  } finally {
    if (reading) await end(reading)
  }
}

async function begin(repo: Repo, signal: AbortSignal | undefined): Promise<Reading> {
  const args = git`diff-tree --stdin --always --raw --patch -r --find-renames --no-ext-diff --no-textconv --full-index ${option('--unified', 3)}`
  const input = new PassThrough()
  const stream = await open(repo, 'diff.read_many', args, {
    input,
    pool: 'transfer',
    timeoutMs: 6 * 3_600_000,
    ...(signal ? { signal } : {}),
  })
  stream.done.catch(() => undefined)
  return new Reading(stream, input)
}

async function end({ stream, input }: Reading): Promise<void> {
  input.destroy()
  stream.stop()
  await stream.done.catch(() => undefined)
}

/** The output of the process, split at the marks. */
class Reading {
  readonly stream: GitStream
  readonly input: PassThrough
  readonly #output: AsyncIterator<Buffer>
  #held: Buffer = Buffer.alloc(0)
  /** The process ended before the mark came. */
  isOver = false
  /** The output of the current pair began with its commit. */
  wasFound = false

  constructor(stream: GitStream, input: PassThrough) {
    this.stream = stream
    this.input = input
    this.#output = (stream.stdout as AsyncIterable<Buffer>)[Symbol.asyncIterator]()
  }

  /** Yields the output up to the mark, without the commit id at its beginning. */
  async *upTo(mark: string, id: string): AsyncGenerator<Buffer> {
    this.wasFound = await this.#skip(`${id}\n`)
    if (this.isOver || (await this.#skip(mark))) return
    // The mark fills its line; a line of a file begins with another character.
    const ending = Buffer.from(`\n${mark}`)
    for (;;) {
      const at = this.#held.indexOf(ending)
      const upTo = at === -1 ? Math.max(0, this.#held.length - ending.length) : at + 1
      if (upTo > 0) yield this.#held.subarray(0, upTo)
      this.#held = this.#held.subarray(at === -1 ? upTo : at + ending.length)
      if (at !== -1 || !(await this.#more())) return
    }
  }

  /** Skips this text if it comes next. */
  async #skip(words: string): Promise<boolean> {
    const wanted = Buffer.from(words)
    for (;;) {
      const length = Math.min(wanted.length, this.#held.length)
      if (!this.#held.subarray(0, length).equals(wanted.subarray(0, length))) return false
      if (length === wanted.length) break
      if (!(await this.#more())) return false
    }
    this.#held = this.#held.subarray(wanted.length)
    return true
  }

  async #more(): Promise<boolean> {
    const next = await this.#output.next().catch(() => ({ done: true, value: undefined }) as const)
    if (next.done) {
      this.isOver = true
      return false
    }
    this.#held = this.#held.length === 0 ? next.value : Buffer.concat([this.#held, next.value])
    return true
  }
}
