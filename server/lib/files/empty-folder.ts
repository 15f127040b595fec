import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import { makePrivateFolder } from './private-folder.ts'

/**
 * Removes everything in a folder and keeps the folder itself: a disk without space may refuse a new one. Creates it if it
 * does not exist.
 */
export function emptyFolder(dir: string): void {
  makePrivateFolder(dir)
  for (const name of readdirSync(dir)) rmSync(join(dir, name), { recursive: true, force: true })
}
