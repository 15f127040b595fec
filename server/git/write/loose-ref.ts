import { open, readFile, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { git } from '../args.ts'
import { isObjectId, isRefName } from '../names.ts'
import type { Repo } from '../types.ts'

/**
 * Moves one ref that has a file of its own from `old` to `to`, as git does: under the ref's lock file, with fsync, by a
 * rename. Returns false where git has to do it or reports why it cannot: the ref is packed, symbolic, locked or has
 * another value, or the object is missing.
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
    return await moveFile(path.join(repo.gitDir, ref), old, to)
  } finally {
    leave()
  }
}

async function moveFile(file: string, old: string, to: string): Promise<boolean> {
  const lock = `${file}.lock`
  const handle = await open(lock, 'wx', 0o666).catch(() => undefined)
  if (handle === undefined) return false
  try {
    try {
      if ((await readFile(file, 'latin1')) !== `${old}\n`) throw new Error('The ref has another value.')
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
