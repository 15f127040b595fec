import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { dataPaths, type Config } from '../../../config.ts'
import { removalsOf } from '../../../lib/gate.ts'

/** What is kept for a day: archives of groups, and single relations. */
export type Kept = 'groups' | 'relations'

/** Where files that wait for being downloaded lie; no part of a backup. */
export function keptFolder(config: Pick<Config, 'dataDir'>, kind: Kept): string {
  return join(config.dataDir, 'exports', kind)
}

/** Where such a file lies, by its stored name. */
export function keptFile(config: Pick<Config, 'dataDir'>, kind: Kept, name: string): string {
  return join(keptFolder(config, kind), name)
}

/** Removes a stored file whose row says nothing of it any more. */
export async function removeKept(config: Config, kind: Kept, name: string): Promise<void> {
  await removalsOf(config).pass(() => rm(keptFile(config, kind, name), { recursive: true, force: true }))
}

/** Names of everything in such a folder. */
export async function keptNames(config: Pick<Config, 'dataDir'>, kind: Kept): Promise<string[]> {
  return readdir(keptFolder(config, kind)).catch(() => [])
}

/** A folder of its own for work that is under way, empty; what an earlier attempt left in it is gone. */
export async function workFolder(config: Pick<Config, 'dataDir'>, name: string): Promise<string> {
  const folder = join(dataPaths(config.dataDir).tmp, name)
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return folder
}
