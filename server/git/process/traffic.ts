import path from 'node:path'
import type { Args } from '../args.ts'
import type { OpenWrites } from '../write/open-writes.ts'
import type { Repo } from '../types.ts'

/** Commands that do not change their repository. All other commands count as writing. */
const READ_COMMANDS = new Set(
  `archive blame bundle cat-file count-objects diff-tree for-each-ref fsck grep log ls-remote ls-tree merge-base pack-objects
   push rev-list rev-parse shortlog upload-archive upload-pack`.split(/\s+/),
)
/** The command of a push. It waits for permission before it writes refs, which it does under the write lock. */
const PUSH_COMMAND = 'receive-pack'

export function isReading({ words }: Args): boolean {
  return READ_COMMANDS.has(words[0] ?? '')
}

/**
 * Counts the running commands of each repository, and records the new folder of repositories that were moved since the
 * start. While a repository is moved, writers wait; afterwards their handles refer to the new folder.
 */
export class Traffic {
  readonly #movedDirs = new Map<string, string>()
  readonly #gates = new Map<string, Promise<void>>()
  readonly #writers = new Map<string, number>()
  readonly #readers = new Map<string, number>()
  readonly #pushes = new Map<string, number>()
  /** By folder: the number of writes since the start, and of running writes. */
  readonly #writes = new Map<string, { started: number; running: number }>()
  readonly #openWrites: OpenWrites
  #waiters: (() => void)[] = []

  constructor(openWrites: OpenWrites) {
    this.#openWrites = openWrites
  }

  /** The folder of the repository: `gitDir`, unless it was moved since the caller read that path. */
  currentDir(key: string, gitDir: string): string {
    return this.#movedDirs.get(key) ?? gitDir
  }

  /** Makes every handle refer to its original folder again. */
  forgetMoves(): void {
    this.#movedDirs.clear()
  }

  /** Makes every handle of the key refer to `gitDir`. Call it while no command writes. */
  moveTo(key: string, gitDir: string): void {
    this.#movedDirs.set(key, gitDir)
  }

  /**
   * Counts a command. A command that only reads is counted immediately; one that writes waits while the repository is
   * being moved. Returns a function that ends the count. `otherDirs` are folders of other repositories that it reads.
   */
  enter(repo: Repo, args: Args, otherDirs: readonly string[] = []): (() => void) | Promise<() => void> {
    if (args.words[0] === PUSH_COMMAND) return this.#push(repo)
    const leave = this.read([repo.gitDir, ...(repo.alternates ?? []).map(path.dirname), ...otherDirs])
    return isReading(args) ? leave : this.#write(repo.key, leave, () => repo.gitDir)
  }

  /** Counts a reader of these folders. Returns a function that ends the count. */
  read(gitDirs: readonly string[]): () => void {
    for (const dir of gitDirs) count(this.#readers, dir, 1)
    return () => {
      for (const dir of gitDirs) count(this.#readers, dir, -1)
    }
  }

  /**
   * Counts a permitted push as a writer, because it writes refs from now on. The caller holds the write lock. Returns a
   * function that ends the count.
   */
  enterWrite(repo: Repo): Promise<() => void> {
    return this.#write(
      repo.key,
      () => {},
      () => repo.gitDir,
    )
  }

  /** Keys of the repositories that receive a push. */
  pushTargets(): string[] {
    return [...this.#pushes.keys()]
  }

  /** True while a push sends objects or waits for permission. */
  hasPush(key: string): boolean {
    return this.#pushes.has(key)
  }

  /** The number of writes to a folder since the start; undefined while one is running. */
  writesTo(gitDir: string): number | undefined {
    const { started, running } = this.#writes.get(gitDir) ?? { started: 0, running: 0 }
    return running === 0 ? started : undefined
  }

  /** The number of commands that read a folder. */
  readersOf(gitDir: string): number {
    return this.#readers.get(gitDir) ?? 0
  }

  /**
   * Runs `work` while no command writes to the repositories of these keys; new writers wait until it has ended. Returns
   * undefined without running `work` when an earlier writer takes longer than `maxWaitMs`.
   */
  async runExclusively<T>(
    keys: readonly string[],
    maxWaitMs: number,
    work: () => Promise<T>,
  ): Promise<T | undefined> {
    for (let other = this.#gateOf(keys); other !== undefined; other = this.#gateOf(keys)) await other
    const { promise, resolve } = Promise.withResolvers<void>()
    for (const key of keys) this.#gates.set(key, promise)
    try {
      return (await this.waitForWriters(keys, maxWaitMs)) ? await work() : undefined
    } finally {
      for (const key of keys) this.#gates.delete(key)
      resolve()
    }
  }

  /** Waits until no command writes to the repositories. Returns false when that takes longer than `maxWaitMs`. */
  async waitForWriters(keys: readonly string[], maxWaitMs: number): Promise<boolean> {
    const isQuiet = () => keys.every((key) => !this.#writers.has(key))
    const until = performance.now() + maxWaitMs
    while (!isQuiet()) {
      const remainingMs = until - performance.now()
      if (remainingMs <= 0) return false
      const { promise, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, remainingMs)
      timer.unref()
      this.#waiters.push(resolve)
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

  async #write(key: string, leave: () => void, currentGitDir: () => string): Promise<() => void> {
    let hasWaited = false
    for (let gate = this.#gates.get(key); gate !== undefined; gate = this.#gates.get(key)) {
      // A waiting command must not count as a reader of the old folder, which the move removes.
      if (!hasWaited) leave()
      hasWaited = true
      await gate
    }
    count(this.#writers, key, 1)
    const gitDir = currentGitDir()
    const close = this.#openWrites.enter(gitDir)
    const writes = this.#writes.get(gitDir) ?? { started: 0, running: 0 }
    this.#writes.set(gitDir, writes)
    writes.started++
    writes.running++
    return () => {
      if (!hasWaited) leave()
      close()
      writes.running--
      count(this.#writers, key, -1)
      for (const wake of this.#waiters.splice(0)) wake()
    }
  }
}

function count(counts: Map<string, number>, key: string, by: number): void {
  const now = (counts.get(key) ?? 0) + by
  if (now === 0) counts.delete(key)
  else counts.set(key, now)
}
