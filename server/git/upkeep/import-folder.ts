import { git, value } from '../args.ts'
import { run, type Config } from '../process/run.ts'
import { DISK_ONLY, FETCH_CHECKS } from '../transport/transfer-config.ts'
import { EMPTY_TREE } from '../write/changes.ts'
import type { Repo } from '../types.ts'

const LIMIT_MS = 3 * 3_600_000

/**
 * Fetches the branches and tags of an untrusted repository in a local folder into an empty repository. Git checks every
 * object, and ignores the configuration and the hooks of the other repository. Throws GitError.
 */
export async function fetchFolder(
  repo: Repo,
  folder: string,
  options: { signal?: AbortSignal } = {},
): Promise<void> {
  const args = git`fetch --quiet --no-tags --no-write-fetch-head --update-head-ok ${value(folder)} +refs/heads/*:refs/heads/* +refs/tags/*:refs/tags/*`
  await run(repo, 'repository.fetch_folder', args, {
    pool: 'transfer',
    config: [...DISK_ONLY, ...FETCH_CHECKS],
    reads: [folder],
    timeoutMs: LIMIT_MS,
    ...options,
  })
  repo.git.cache.forget(repo)
}

/**
 * Writes the files of a folder as a tree, without files that its `.gitignore` files exclude, and returns its id. Returns
 * null for an empty tree. Throws GitError.
 */
export async function writeFolderTree(
  repo: Repo,
  folder: string,
  options: { signal?: AbortSignal } = {},
): Promise<string | null> {
  const runOptions = { timeoutMs: LIMIT_MS, env: { GIT_WORK_TREE: folder }, ...options }
  const config: Config = [
    ['core.autocrlf', 'false'],
    ['core.excludesFile', '/dev/null'],
    ['core.attributesFile', '/dev/null'],
    ['core.symlinks', 'false'],
  ]
  await run(repo, 'folder.add', git`-C ${value(folder)} add --all .`, { ...runOptions, config })
  const { stdout } = await run(repo, 'folder.tree', git`-C ${value(folder)} write-tree`, {
    ...runOptions,
    config,
  })
  const tree = stdout.toString('latin1').trim()
  return tree === EMPTY_TREE ? null : tree
}
