import { git, option, path, sha } from '../args.ts'
import { nulBatches } from '../parse.ts'
import { open } from '../process/run.ts'
import { listTree } from './tree.ts'
import type { Repo } from '../types.ts'

/** The character before a commit id. A path that begins with it is attributed to a wrong commit. */
const MARK = '\u0001'

/**
 * The last commit that changed each entry of a folder, by entry name. Walks the folder's history until every entry is
 * found or `budgetMs` has passed; the result lacks entries that were not found by then. Null when the folder does not
 * exist.
 */
export async function lastCommitsIn(
  repo: Repo,
  commit: string,
  folder: string,
  options: { budgetMs?: number; signal?: AbortSignal } = {},
): Promise<ReadonlyMap<string, string> | null> {
  const key = `${commit}:${folder}`
  const cached = repo.git.cache.get<ReadonlyMap<string, string>>(repo, 'last-commits', key)
  if (cached !== undefined) return cached
  const listing = await listTree(repo, commit, { path: folder })
  if (listing === null) return null
  const missing = new Set(listing.entries.map((entry) => entry.name))
  const result = new Map<string, string>()
  const budget = AbortSignal.timeout(options.budgetMs ?? 5000)
  const stream = await openHistory(repo, commit, folder, options.signal)
  const stop = () => stream.stop()
  budget.addEventListener('abort', stop)
  try {
    for await (const change of changes(stream.stdout)) {
      const name = entryName(change.path, folder)
      if (name === null || !missing.delete(name)) continue
      result.set(name, change.commit)
      if (missing.size === 0) break
    }
    await stream.done
  } catch (error) {
    if (!budget.aborted) throw error
  } finally {
    budget.removeEventListener('abort', stop)
  }
  // An incomplete result is not cached, so that another call can complete it.
  if (missing.size > 0 && budget.aborted) return result
  return repo.git.cache.set(repo, 'last-commits', key, { content: result, bytes: 300 + 250 * result.size })
}

function openHistory(repo: Repo, commit: string, folder: string, signal?: AbortSignal) {
  const format = option('--format', '%x01%H')
  // For a merge, `-c` lists only files that differ from all parents.
  const args = git`log -z ${format} --name-only -c --no-renames --no-ext-diff ${sha(commit)} -- ${folder === '' ? [] : [path(folder)]}`
  return open(repo, 'commits.last_in_folder', args, { signal })
}

async function* changes(output: AsyncIterable<Buffer>): AsyncGenerator<{ commit: string; path: string }> {
  let commit = ''
  let isFirstPath = false
  for await (const batch of nulBatches(output)) {
    for (const record of batch) {
      const text = record.toString('utf8')
      if (text.startsWith(MARK)) {
        commit = text.slice(1)
        isFirstPath = true
      } else if (text !== '') {
        // A line end separates the commit from its paths.
        yield { commit, path: isFirstPath ? text.replace(/^\n/, '') : text }
        isFirstPath = false
      }
    }
  }
}

function entryName(file: string, folder: string): string | null {
  const prefix = folder === '' ? '' : `${folder}/`
  return file.startsWith(prefix) ? file.slice(prefix.length).split('/', 1)[0]! : null
}
