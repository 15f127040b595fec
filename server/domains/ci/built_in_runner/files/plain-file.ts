import { constants } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants

/**
 * Opens a file that a job left; undefined for what is none (any more). Links are not followed, and pipes not waited for:
 * that would take one of the few threads which the whole instance reads files with, for good.
 */
export async function openPlain(path: string): Promise<FileHandle | undefined> {
  const handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined)
  if (!handle) return undefined
  const stat = await handle.stat()
  if (stat.isFile()) return handle
  await handle.close()
  return undefined
}
