import { createReadStream } from 'node:fs'
import { open as openFile } from 'node:fs/promises'

import { git, option, value } from '../args.ts'
import { readBundleHead, type BundleHead } from './bundle-head.ts'
import { BundleProblem } from './bundle-problem.ts'
import { GitError, GitRefError } from '../errors.ts'
import { isRefName } from '../names.ts'
import { listRefs, packRefs, updateRefs } from '../write/refs.ts'
import { run } from '../process/run.ts'
import { OBJECT_CHECKS } from './transfer-config.ts'
import type { Repo } from '../types.ts'

export { BundleProblem } from './bundle-problem.ts'

/** From so many on, refs are written together: the disk takes milliseconds for each. */
const MANY_REFS = 100
const LIMIT_MS = 6 * 3_600_000
/** Refs that are for this instance alone: they are ours, or are named by ids of its database. */
const INTERNAL = ['refs/internal/', 'refs/pipelines/', 'refs/environments/']
/** What is taken from a bundle; everything else in it is passed over (spec administration 6.2). */
const WANTED = ['refs/heads/', 'refs/tags/', 'refs/merge-requests/', 'refs/keep-around/']

/**
 * Writes everything that refs lead to into one file, those of merge requests and those that keep commits included. False, and
 * no file, where there is no ref. Throws GitError.
 */
export async function createBundle(
  repo: Repo,
  file: string,
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<boolean> {
  const refs = await listRefs(repo, 'refs/')
  if (refs.every(({ ref }) => INTERNAL.some((prefix) => ref.startsWith(prefix)))) return false
  const without = INTERNAL.map((prefix) => option('--exclude', `${prefix}*`))
  const args = git`bundle create --quiet ${value(file)} ${without} --all`
  await run(repo, 'bundle.create', args, { place: 'transfer', timeoutMs: LIMIT_MS, ...given(options) })
  return true
}

/**
 * Takes branches, tags, refs of merge requests and kept commits out of a bundle of a stranger into a repository without refs.
 * Every object is checked before a ref leads to it, and nothing of the bundle counts but its objects and the names of refs.
 * Gives the number of refs, and the branch that it shows first. May be repeated. The caller holds the write lock. Throws
 * BundleProblem for what is wrong with the bundle, GitError for what is wrong here.
 */
export async function fetchBundle(
  repo: Repo,
  file: string,
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<{ readonly refs: number; readonly head: string | null }> {
  const head = await readBundleHead(file)
  const wanted = [...head.refs].filter(
    ([name]) => isRefName(name) && WANTED.some((prefix) => name.startsWith(prefix)),
  )
  await takeObjects(repo, file, head, options)
  const before = new Map((await listRefs(repo, 'refs/')).map(({ ref, oid }) => [ref, oid]))
  const changes = wanted.filter(([ref, oid]) => before.get(ref) !== oid)
  try {
    const updates = changes.map(([ref, oid]) => ({ ref, old: before.get(ref) ?? null, new: oid }))
    const unsynced = updates.length > MANY_REFS
    await updateRefs(repo, updates, { unsynced })
    if (unsynced) await packRefs(repo)
  } catch (error) {
    if (error instanceof GitRefError && error.problem !== 'locked')
      throw new BundleProblem('The bundle has refs that cannot be taken over.')
    throw error
  }
  repo.git.cache.forget(repo)
  return { refs: wanted.length, head: headOf(head) }
}

/** Reads a bundle's list of refs. Throws BundleProblem for what is none, or needs what is elsewhere. */
export async function verifyBundle(file: string): Promise<{ readonly refs: number }> {
  return { refs: (await readBundleHead(file)).refs.size }
}

async function takeObjects(
  repo: Repo,
  file: string,
  { packAt }: BundleHead,
  options: { readonly signal?: AbortSignal | undefined },
): Promise<void> {
  const handle = await openFile(file)
  const input = createReadStream(file, { fd: handle, start: packAt, highWaterMark: 256 * 1024 })
  const args = git`index-pack --stdin ${option('--strict', OBJECT_CHECKS)}`
  try {
    await run(repo, 'bundle.take', args, { input, place: 'transfer', timeoutMs: LIMIT_MS, ...given(options) })
  } catch (error) {
    if (error instanceof GitError && error.reason === 'exit') throw new BundleProblem(reasonOf(error))
    throw error
  } finally {
    input.destroy()
  }
}

/** Only what is wrong with the bundle's objects is told; the rest of what git says is about this machine. */
function reasonOf({ stderr }: GitError): string {
  const fault = /^error: [a-z]+ [0-9a-f]{40,64}: ([a-zA-Z]+):/m.exec(stderr)?.[1]
  if (fault !== undefined) return `The bundle has an object that is not accepted (${fault}).`
  if (/early EOF|premature end|unexpected end/i.test(stderr)) return 'The bundle is cut off.'
  return 'The bundle is damaged.'
}

/** A bundle says which commit HEAD is at, not the branch's name; of several the usual names are meant. */
function headOf({ refs }: BundleHead): string | null {
  const at = refs.get('HEAD')
  const branches = [...refs].filter(([name]) => name.startsWith('refs/heads/') && isRefName(name))
  const named = new Map(branches.map(([name, oid]) => [name.slice('refs/heads/'.length), oid]))
  const fits = [...named].filter(([, oid]) => at === undefined || oid === at).map(([name]) => name)
  return (
    ['main', 'master'].find((name) => fits.includes(name)) ?? (at === undefined ? null : (fits[0] ?? null))
  )
}

function given({ signal }: { readonly signal?: AbortSignal | undefined }): { signal?: AbortSignal } {
  return signal ? { signal } : {}
}
