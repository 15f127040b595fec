import { readFileSync, renameSync, rmSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { createSynced } from '../../lib/files/durable-file.ts'
import { git } from '../args.ts'
import { isObjectId, isRefName } from '../names.ts'
import { packedRefs } from '../read/ref-files.ts'
import { justWritten } from './loose-objects.ts'
import type { Repo } from '../types.ts'

/** A move of a ref. `old` is null for a ref that must not exist yet. */
interface RefMove {
  readonly ref: string
  readonly old: string | null
  readonly to: string
}

/**
 * Moves or creates one ref in the same way as git: under the ref's lock file, with fsync, by a rename. Returns false if
 * git has to move the ref or report the error: the ref is symbolic, locked or missing, it has another value or conflicts
 * with another ref, or the object is missing.
 */
export async function moveLooseRef(repo: Repo, { ref, old, to }: RefMove): Promise<boolean> {
  if (!isRefName(ref) || !ref.startsWith('refs/') || !isObjectId(to)) return false
  if (old !== null && !isObjectId(old)) return false
  const type = justWritten(repo, to) ?? (await repo.git.catFiles.info(repo, to))?.type
  if (type === undefined || (ref.startsWith('refs/heads/') && type !== 'commit')) return false
  const leave = await repo.git.traffic.enter(repo, git`update-ref`)
  try {
    return await moveFile(repo.gitDir, { ref, old, to })
  } finally {
    leave()
  }
}

async function moveFile(gitDir: string, { ref, old, to }: RefMove): Promise<boolean> {
  const file = path.join(gitDir, ref)
  const lock = `${file}.lock`
  if (!(await createLock(lock, `${to}\n`))) return false
  try {
    if (readRef(gitDir, ref) !== old) throw new Error('The ref has another value.')
    renameSync(lock, file)
    return true
  } catch {
    rmSync(lock, { force: true })
    return false
  }
}

/**
 * Creates a synced lock file, and its folder, because git removes a folder when it packs the last ref in it. Returns
 * false if the file exists or cannot be written.
 */
async function createLock(lock: string, content: string): Promise<boolean> {
  const create = () =>
    createSynced(lock, content, 0o666).then(
      () => 'created' as const,
      (error: NodeJS.ErrnoException) => {
        // With these errors, the file belongs to another writer or does not exist.
        if (!['EEXIST', 'ENOENT', 'ENOTDIR'].includes(error.code ?? '')) rmSync(lock, { force: true })
        return error.code
      },
    )
  let result = await create()
  if (result === 'ENOENT') {
    // If the folder cannot be created, git reports the reason.
    await mkdir(path.dirname(lock), { recursive: true }).catch(() => undefined)
    result = await create()
  }
  return result === 'created'
}

/**
 * The id in the ref's own file, or else in the file of packed refs. Null if the ref does not exist and conflicts with no
 * packed ref; a conflict with a loose ref makes the lock fail. Undefined if only git can read the ref. Call it under the
 * ref's lock.
 */
function readRef(gitDir: string, ref: string): string | null | undefined {
  try {
    const text = readFileSync(path.join(gitDir, ref), 'latin1')
    return text.endsWith('\n') ? text.slice(0, -1) : undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return undefined
  }
  const packed = packedRefs(gitDir)
  if (packed === undefined) return undefined
  const packedId = packed.get(ref)
  if (packedId !== undefined) return packedId
  const conflicts = (other: string) => other.startsWith(`${ref}/`) || ref.startsWith(`${other}/`)
  return [...packed.keys()].some(conflicts) ? undefined : null
}
