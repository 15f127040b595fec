import { mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { createSynced } from '../../lib/files/durable-file.ts'
import { git } from '../args.ts'
import { isObjectId, isRefName } from '../names.ts'
import { justWritten } from './loose-objects.ts'
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
  const type = justWritten(repo, to) ?? (await repo.git.catFiles.info(repo, to))?.type
  if (type === undefined || (ref.startsWith('refs/heads/') && type !== 'commit')) return false
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
  for (let attempt = 1; ; attempt++) {
    try {
      await createSynced(lock, content, 0o666)
      return true
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      // The file of another writer stays.
      if (code !== 'EEXIST' && code !== 'ENOENT') rmSync(lock, { force: true })
      if (code !== 'ENOENT' || attempt === 2) return false
      mkdirSync(path.dirname(lock), { recursive: true })
    }
  }
}

/** The id in the ref's own file or, without one, in the file of packed refs. Call it under the ref's lock. */
function readRef(gitDir: string, ref: string): string | undefined {
  try {
    const text = readFileSync(path.join(gitDir, ref), 'latin1')
    return text.endsWith('\n') ? text.slice(0, -1) : undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return undefined
  }
  const packed = path.join(gitDir, 'packed-refs')
  if (statSync(packed).size > MAX_PACKED_BYTES) return undefined
  const lines = readFileSync(packed, 'utf8').split('\n')
  return lines.find((line) => line.slice(41) === ref)?.slice(0, 40)
}
