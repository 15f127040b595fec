import { git, value } from '../args.ts'
import { run, type Config } from '../process/run.ts'
import { FETCH_CHECKS } from '../transport/transfer-config.ts'
import type { Repo } from '../types.ts'

const LIMIT_MS = 3 * 3_600_000

const FROM_DISK: Config = [
  ['protocol.allow', 'never'],
  ['protocol.file.allow', 'always'],
]

/**
 * Fetches the branches and tags of an untrusted repository in a local folder into an empty one. Git checks every
 * object; the settings and hooks of the other repository have no effect. Throws GitError.
 */
export async function fetchFolder(
  repo: Repo,
  folder: string,
  options: { signal?: AbortSignal } = {},
): Promise<void> {
  const args = git`fetch --quiet --no-tags --no-write-fetch-head --update-head-ok ${value(folder)} +refs/heads/*:refs/heads/* +refs/tags/*:refs/tags/*`
  await run(repo, 'repository.fetch_folder', args, {
    pool: 'transfer',
    config: [...FROM_DISK, ...FETCH_CHECKS],
    reads: [folder],
    timeoutMs: LIMIT_MS,
    ...options,
  })
  repo.git.cache.forget(repo)
}

/**
 * Writes the files of a folder as one tree, without files that its `.gitignore` files exclude. Returns null if no
 * file is left. Throws GitError.
 */
export async function writeFolderTree(
  repo: Repo,
  folder: string,
  options: { signal?: AbortSignal } = {},
): Promise<string | null> {
  const limits = { timeoutMs: LIMIT_MS, env: { GIT_WORK_TREE: folder }, ...options }
  const config: Config = [
    ['core.autocrlf', 'false'],
    ['core.excludesFile', '/dev/null'],
    ['core.attributesFile', '/dev/null'],
    ['core.symlinks', 'false'],
  ]
  await run(repo, 'folder.add', git`-C ${value(folder)} add --all .`, { ...limits, config })
  const { stdout } = await run(repo, 'folder.tree', git`-C ${value(folder)} write-tree`, {
    ...limits,
    config,
  })
  const tree = stdout.toString('latin1').trim()
  return tree === EMPTY_TREE ? null : tree
}

const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'
