import { readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { createSynced } from '../../lib/files/durable-file.ts'
import { git } from '../args.ts'
import { isObjectId, isRefName } from '../names.ts'
import { justWritten } from './loose-objects.ts'
import type { Repo } from '../types.ts'

/** A larger file of packed refs is left to git, which reads only a part of it. */
const MAX_PACKED_BYTES = 1024 * 1024

/** A ref that moves; `old` is null for one that must not exist. */
interface Move {
  readonly ref: string
  readonly old: string | null
  readonly to: string
}

/**
 * Moves or makes one ref, as git does: under the ref's lock file, with fsync, by a rename. Returns false if git has to
 * do it or reports why it cannot: the ref is symbolic, locked, missing, has another value or another ref in its way, or
 * the object is missing.
 */
export async function moveLooseRef(repo: Repo, { ref, old, to }: Move): Promise<boolean> {
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

async function moveFile(gitDir: string, { ref, old, to }: Move): Promise<boolean> {
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
 * Creates a lock file with its content on the disk; git removes the folder of a ref when it packs its last one. Returns
 * false if the file exists or cannot be written.
 */
async function createLock(lock: string, content: string): Promise<boolean> {
  const create = () =>
    createSynced(lock, content, 0o666).then(
      () => 'created' as const,
      (error: NodeJS.ErrnoException) => {
        // The file of another writer stays, and where another ref stands in the way there is none.
        if (!['EEXIST', 'ENOENT', 'ENOTDIR'].includes(error.code ?? '')) rmSync(lock, { force: true })
        return error.code
      },
    )
  let outcome = await create()
  if (outcome === 'ENOENT') {
    // Without the folder git reports why.
    await mkdir(path.dirname(lock), { recursive: true }).catch(() => undefined)
    outcome = await create()
  }
  return outcome === 'created'
}

/**
 * The id in the ref's own file or, without one, in the file of packed refs. Null if there is no such ref and no packed one
 * stands in its way; loose ones do so by themselves. Undefined if only git knows. Call it under the ref's lock.
 */
function readRef(gitDir: string, ref: string): string | null | undefined {
  try {
    const text = readFileSync(path.join(gitDir, ref), 'latin1')
    return text.endsWith('\n') ? text.slice(0, -1) : undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return undefined
  }
  const packed = packedRefs(path.join(gitDir, 'packed-refs'))
  if (packed === undefined) return undefined
  const packedId = packed.get(ref)
  if (packedId !== undefined) return packedId
  const isInTheWay = (other: string) => other.startsWith(`${ref}/`) || ref.startsWith(`${other}/`)
  return [...packed.keys()].some(isInTheWay) ? undefined : null
}

/** Ids of packed refs by name; undefined for a large file. */
function packedRefs(file: string): Map<string, string> | undefined {
  try {
    if (statSync(file).size > MAX_PACKED_BYTES) return undefined
    const lines = readFileSync(file, 'utf8').split('\n')
    return new Map(
      lines.flatMap((line) => (/^[0-9a-f]{40} /.test(line) ? [[line.slice(41), line.slice(0, 40)]] : [])),
    )
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map()
    throw error
  }
}
