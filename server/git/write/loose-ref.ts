import { mkdir, open, readFile, rename, rm, stat, type FileHandle } from 'node:fs/promises'
import path from 'node:path'
import { git } from '../args.ts'
import { isObjectId, isRefName } from '../names.ts'
import type { Repo } from '../types.ts'

/** A larger file of packed refs is left to git, which reads only a part of it. */
const MAX_PACKED_BYTES = 1024 * 1024

/**
 * Moves one ref from `old` to `to`, as git does: under the ref's lock file, with fsync, by a rename. Returns false where
 * git has to do it or reports why it cannot: the ref is symbolic, locked, missing or has another value, or the object is
 * missing.
 */
export async function moveLooseRef(
  repo: Repo,
  { ref, old, to }: { ref: string; old: string; to: string },
): Promise<boolean> {
  if (!isRefName(ref) || !ref.startsWith('refs/') || !isObjectId(old) || !isObjectId(to)) return false
  const object = await repo.git.catFiles.info(repo, to)
  if (object === null || (ref.startsWith('refs/heads/') && object.type !== 'commit')) return false
  const leave = await repo.git.traffic.enter(repo, git`update-ref`)
  try {
    return await moveFile(repo.gitDir, { ref, old, to })
  } finally {
    leave()
  }
}

async function moveFile(
  gitDir: string,
  { ref, old, to }: { ref: string; old: string; to: string },
): Promise<boolean> {
  const file = path.join(gitDir, ref)
  const lock = `${file}.lock`
  const handle = await openNew(lock)
  if (handle === undefined) return false
  try {
    try {
      if ((await readRef(gitDir, ref)) !== old) throw new Error('The ref has another value.')
      await handle.writeFile(`${to}\n`)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(lock, file)
    return true
  } catch {
    await rm(lock, { force: true }).catch(() => undefined)
    return false
  }
}

/** Opens a lock file; git removes the folder of a ref when it packs its last one. Undefined if the file exists. */
async function openNew(lock: string): Promise<FileHandle | undefined> {
  const attempt = () => open(lock, 'wx', 0o666).catch((error: NodeJS.ErrnoException) => error.code)
  let opened = await attempt()
  if (opened === 'ENOENT') {
    await mkdir(path.dirname(lock), { recursive: true }).catch(() => undefined)
    opened = await attempt()
  }
  return typeof opened === 'object' ? opened : undefined
}

/** The id in the ref's own file or, without one, in the file of packed refs. Call it under the ref's lock. */
async function readRef(gitDir: string, ref: string): Promise<string | undefined> {
  try {
    const text = await readFile(path.join(gitDir, ref), 'latin1')
    return text.endsWith('\n') ? text.slice(0, -1) : undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return undefined
  }
  const packed = path.join(gitDir, 'packed-refs')
  if ((await stat(packed)).size > MAX_PACKED_BYTES) return undefined
  const lines = (await readFile(packed, 'utf8')).split('\n')
  return lines.find((line) => line.slice(41) === ref)?.slice(0, 40)
}
