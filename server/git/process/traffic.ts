import path from 'node:path'
import type { Args } from '../args.ts'
import type { OpenWrites } from '../write/open-writes.ts'
import type { Repo } from '../types.ts'

/** Commands that change nothing in the repository they run in. What is not here is taken to write. */
const READING = new Set(
  `archive blame bundle cat-file count-objects diff-tree for-each-ref fsck grep log ls-remote ls-tree merge-base pack-objects
   push rev-list rev-parse shortlog upload-archive upload-pack`.split(/\s+/),
)
/** A push waits for permission in the middle of its work; what it writes, it writes under the write lock. */
const PUSH = 'receive-pack'

/** True for a command that changes nothing. */
export function isReading({ words }: Args): boolean {
  return READING.has(words[0] ?? '')
}

/**
 * Who is at work in which repository, and where a repository lies now that was moved since the start. One that moves
 * lets nobody write for a moment; handles follow it, so that whoever waited writes at the new place.
 */
export class Traffic {
  readonly #places = new Map<string, string>()
  readonly #gates = new Map<string, Promise<void>>()
  readonly #writers = new Map<string, number>()
  readonly #readers = new Map<string, number>()
  readonly #pushes = new Map<string, number>()
  readonly #openWrites: OpenWrites
  #onLeave: (() => void)[] = []

  constructor(openWrites: OpenWrites) {
    this.#openWrites = openWrites
  }

  /** Where the repository of a key lies: `gitDir`, unless it was moved since it was read from somewhere. */
  placeOf(key: string, gitDir: string): string {
    return this.#places.get(key) ?? gitDir
  }

  /** From now on every handle of the key leads to `gitDir`. To be called while nobody writes. */
  moveTo(key: string, gitDir: string): void {
    this.#places.set(key, gitDir)
  }

  /**
   * Counts a command in, at once if it only reads; one that writes waits while the repository is being moved. Returns how
   * it is counted out. `also`: folders of further repositories that it reads.
   */
  enter(repo: Repo, args: Args, also: readonly string[] = []): (() => void) | Promise<() => void> {
    if (args.words[0] === PUSH) return this.#push(repo)
    const leave = this.read([repo.gitDir, ...(repo.alternates ?? []).map(path.dirname), ...also])
    return isReading(args) ? leave : this.#write(repo.key, leave, () => repo.gitDir)
  }

  /** Counts whoever reads these folders. Returns how to count them out. */
  read(gitDirs: readonly string[]): () => void {
    for (const one of gitDirs) count(this.#readers, one, 1)
    return () => {
      for (const one of gitDirs) count(this.#readers, one, -1)
    }
  }

  /**
   * Counts a push in that was let pass: from now on it writes refs, as others do. The caller holds the write lock. Returns how
   * it is counted out.
   */
  land(repo: Repo): Promise<() => void> {
    return this.#write(
      repo.key,
      () => {},
      () => repo.gitDir,
    )
  }

  /** Whether objects of pushes are coming in, or wait for permission. */
  isPushedTo(key: string): boolean {
    return this.#pushes.has(key)
  }

  /** How many commands are at work in a folder. */
  readersOf(gitDir: string): number {
    return this.#readers.get(gitDir) ?? 0
  }

  /**
   * Runs `work` while no command writes to the repositories of these keys; those that want to wait, and go on
   * afterwards. Undefined when one that had begun before took longer than `patienceMs`; then `work` was not run.
   */
  async alone<T>(
    keys: readonly string[],
    patienceMs: number,
    work: () => Promise<T>,
  ): Promise<T | undefined> {
    for (let other = this.#gateOf(keys); other !== undefined; other = this.#gateOf(keys)) await other
    const { promise, resolve } = Promise.withResolvers<void>()
    for (const key of keys) this.#gates.set(key, promise)
    try {
      return (await this.quiet(keys, patienceMs)) ? await work() : undefined
    } finally {
      for (const key of keys) this.#gates.delete(key)
      resolve()
    }
  }

  /** Waits until no command writes to the repositories; false after `patienceMs`. */
  async quiet(keys: readonly string[], patienceMs: number): Promise<boolean> {
    const isQuiet = () => keys.every((key) => !this.#writers.has(key))
    const until = performance.now() + patienceMs
    while (!isQuiet()) {
      const left = until - performance.now()
      if (left <= 0) return false
      const { promise, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, left)
      timer.unref()
      this.#onLeave.push(resolve)
      await promise
      clearTimeout(timer)
    }
    return true
  }

  #gateOf(keys: readonly string[]): Promise<void> | undefined {
    return keys.map((key) => this.#gates.get(key)).find((gate) => gate !== undefined)
  }

  #push({ key, gitDir }: Repo): () => void {
    const close = this.#openWrites.enter(gitDir)
    count(this.#pushes, key, 1)
    return () => {
      count(this.#pushes, key, -1)
      close()
    }
  }

  async #write(key: string, leave: () => void, placeOf: () => string): Promise<() => void> {
    let waits = false
    for (let gate = this.#gates.get(key); gate !== undefined; gate = this.#gates.get(key)) {
      // Whoever only waits keeps nobody from removing what it would have written to.
      if (!waits) leave()
      waits = true
      await gate
    }
    count(this.#writers, key, 1)
    const close = this.#openWrites.enter(placeOf())
    return () => {
      if (!waits) leave()
      close()
      count(this.#writers, key, -1)
      for (const wake of this.#onLeave.splice(0)) wake()
    }
  }
}

function count(counts: Map<string, number>, key: string, by: number): void {
  const now = (counts.get(key) ?? 0) + by
  if (now === 0) counts.delete(key)
  else counts.set(key, now)
}
