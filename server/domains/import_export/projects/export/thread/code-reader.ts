import { readCommits } from '../../../../../git/read/commits.ts'
import { diffMany } from '../../../../../git/read/diff-many.ts'
import { createGit, repoAt } from '../../../../../git/process/engine.ts'
import type { Git } from '../../../../../git/types.ts'
import type { CodeReader, CommitOfDiff } from '../../../relations/relation.ts'
import type { RepositorySource } from './messages.ts'

/** Maximum size of a diff: as much as other instances import (spec core, limits of diffs). */
const LIMITS = { max_files: 1000, max_lines: 50_000, max_bytes: 5 * 1024 * 1024, max_file_bytes: 200 * 1024 }
/** Number of commits that one git process reads. */
const AT_ONCE = 200

/** Reads the code of a project in a thread. The caller must close it. */
export class ThreadCode implements CodeReader {
  readonly #git: Git | undefined
  readonly #gitDir: string

  constructor(source: RepositorySource | null) {
    this.#gitDir = source?.gitDir ?? ''
    if (source === null) return
    const never = { minMemoryBytes: Infinity }
    const { binary, home } = source
    this.#git = createGit({ binary, home, spawner: never, cacheBytes: 1024 * 1024, maxCatFiles: 1 })
  }

  async *diffs(pairs: Iterable<readonly [from: string, to: string]>) {
    if (this.#git) return yield* diffMany(repoAt(this.#git, this.#gitDir), pairs, LIMITS)
    for (const _ of pairs) yield null
  }

  async *commits(ids: Iterable<string>): AsyncGenerator<CommitOfDiff | null> {
    let batch: string[] = []
    for (const id of ids) {
      batch.push(id)
      if (batch.length < AT_ONCE) continue
      yield* await this.#read(batch)
      batch = []
    }
    yield* await this.#read(batch)
  }

  async close(): Promise<void> {
    await this.#git?.close()
  }

  async #read(ids: readonly string[]): Promise<(CommitOfDiff | null)[]> {
    if (!this.#git) return ids.map(() => null)
    const found = await readCommits(repoAt(this.#git, this.#gitDir), ids)
    const byId = new Map(found.map((commit) => [commit.id, commit]))
    return ids.map((id) => byId.get(id) ?? null)
  }
}
