import { createReadStream } from 'node:fs'
import { open as openFile } from 'node:fs/promises'

import { git, option, value } from '../args.ts'
import { readBundleHead, type BundleHead, BundleProblem } from './bundle-head.ts'
import { GitError, GitRefError } from '../errors.ts'
import { isRefName } from '../names.ts'
import { listRefs, packRefs, updateRefs } from '../write/refs.ts'
import { run } from '../process/run.ts'
import { OBJECT_CHECKS } from './transfer-config.ts'
import type { Repo } from '../types.ts'

export { BundleProblem } from './bundle-head.ts'

/**
 * With more refs than this, they are written without waiting for the disk, which takes milliseconds per ref, and then
 * packed.
 */
const MANY_REFS = 100
const LIMIT_MS = 6 * 3_600_000
/** Refs that are only valid in this instance: internal ones, and those with a database id in their name. */
const INTERNAL_REFS = ['refs/internal/', 'refs/pipelines/', 'refs/environments/']
/** Refs that are imported from a bundle. Other refs are ignored (spec administration 6.2). */
const IMPORTED_REFS = ['refs/heads/', 'refs/tags/', 'refs/merge-requests/', 'refs/keep-around/']

/**
 * Writes all objects that are reachable from refs into one file, and the refs of branches, tags, merge requests and kept
 * commits. Returns false without a file when there is no ref. Throws GitError.
 */
export async function createBundle(
  repo: Repo,
  file: string,
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<boolean> {
  const refs = await listRefs(repo, 'refs/')
  if (refs.every(({ ref }) => INTERNAL_REFS.some((prefix) => ref.startsWith(prefix)))) return false
  const exclusions = INTERNAL_REFS.map((prefix) => option('--exclude', `${prefix}*`))
  const args = git`bundle create --quiet ${value(file)} ${exclusions} --all`
  await run(repo, 'bundle.create', args, { pool: 'transfer', timeoutMs: LIMIT_MS, ...signalOf(options) })
  return true
}

/**
 * Imports branches, tags, refs of merge requests and kept commits from an untrusted bundle into a repository without
 * refs. Git checks every object before a ref points to it. Returns the number of refs and the default branch. It may be
 * repeated. The caller holds the write lock. Throws BundleProblem for a fault of the bundle, GitError for a fault of
 * this machine.
 */
export async function fetchBundle(
  repo: Repo,
  file: string,
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<{ readonly refs: number; readonly head: string | null }> {
  const head = await readBundleHead(file)
  const imported = [...head.refs].filter(
    ([name]) => isRefName(name) && IMPORTED_REFS.some((prefix) => name.startsWith(prefix)),
  )
  await importObjects(repo, file, head, options)
  const before = new Map((await listRefs(repo, 'refs/')).map(({ ref, oid }) => [ref, oid]))
  const changes = imported.filter(([ref, oid]) => before.get(ref) !== oid)
  try {
    const updates = changes.map(([ref, oid]) => ({ ref, old: before.get(ref) ?? null, new: oid }))
    const unsynced = updates.length > MANY_REFS
    await updateRefs(repo, updates, { unsynced })
    if (unsynced) await packRefs(repo)
  } catch (error) {
    if (error instanceof GitRefError && error.problem !== 'locked')
      throw new BundleProblem('The bundle has refs that cannot be imported.')
    throw error
  }
  repo.git.cache.forget(repo)
  return { refs: imported.length, head: defaultBranchOf(head) }
}

/** Counts the refs of a bundle. Throws BundleProblem when it is not a bundle or its head is incomplete. */
export async function verifyBundle(file: string): Promise<{ readonly refs: number }> {
  return { refs: (await readBundleHead(file)).refs.size }
}

async function importObjects(
  repo: Repo,
  file: string,
  { packOffset }: BundleHead,
  options: { readonly signal?: AbortSignal | undefined },
): Promise<void> {
  const handle = await openFile(file)
  const input = createReadStream(file, { fd: handle, start: packOffset, highWaterMark: 256 * 1024 })
  const args = git`index-pack --stdin ${option('--strict', OBJECT_CHECKS)}`
  try {
    await run(repo, 'bundle.take', args, {
      input,
      pool: 'transfer',
      timeoutMs: LIMIT_MS,
      ...signalOf(options),
    })
  } catch (error) {
    if (error instanceof GitError && error.reason === 'exit') throw new BundleProblem(reasonOf(error))
    throw error
  } finally {
    input.destroy()
  }
}

/** Describes the fault of the bundle. Git's other output is about this machine, so it is left out. */
function reasonOf({ stderr }: GitError): string {
  const fault = /^error: [a-z]+ [0-9a-f]{40,64}: ([a-zA-Z]+):/m.exec(stderr)?.[1]
  if (fault !== undefined) return `The bundle has an object that is not accepted (${fault}).`
  if (/early EOF|premature end|unexpected end/i.test(stderr)) return 'The bundle is cut off.'
  return 'The bundle is damaged.'
}

/**
 * The default branch. A bundle contains the commit of HEAD, but not its branch. Of several branches with that commit,
 * `main` and `master` are preferred.
 */
function defaultBranchOf({ refs }: BundleHead): string | null {
  const headCommit = refs.get('HEAD')
  const branches = [...refs].filter(([name]) => name.startsWith('refs/heads/') && isRefName(name))
  const byName = new Map(branches.map(([name, oid]) => [name.slice('refs/heads/'.length), oid]))
  const candidates = [...byName]
    .filter(([, oid]) => headCommit === undefined || oid === headCommit)
    .map(([name]) => name)
  const preferred = ['main', 'master'].find((name) => candidates.includes(name))
  return preferred ?? (headCommit === undefined ? null : (candidates[0] ?? null))
}

function signalOf({ signal }: { readonly signal?: AbortSignal | undefined }): { signal?: AbortSignal } {
  return signal ? { signal } : {}
}
