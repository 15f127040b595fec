import { git } from './args.ts'
import { run } from './run.ts'
import type { Repo } from './types.ts'

/**
 * Packs everything into one, packs the refs, writes the commit graph, and drops objects that nothing has led to for two
 * weeks. Safe while others read and write: what a push is about to use is younger than that.
 */
export async function collectGarbage(repo: Repo, options: { signal?: AbortSignal } = {}): Promise<void> {
  const limits = { timeoutMs: 3_600_000, signal: options.signal }
  await run(repo, 'repository.gc', git`gc --quiet --prune=2.weeks.ago`, limits)
  await run(repo, 'repository.commit_graph', git`commit-graph write --reachable`, limits)
}

/** Packs everything that refs lead to into one; what nothing leads to any more stays. Safe while others read and write. */
export async function repackRepository(repo: Repo, options: { signal?: AbortSignal } = {}): Promise<void> {
  const limits = { timeoutMs: 3_600_000, signal: options.signal }
  await run(repo, 'repository.pack_refs', git`pack-refs --all`, limits)
  await run(repo, 'repository.pack', git`repack -A -d -q`, limits)
}
