import { existsSync, mkdirSync, readdirSync, rmdirSync, rmSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'

import { StartupError } from '../../../lib/fail.ts'
import { LOCK_FILE, lockDataDir, OWNER_FILE } from '../../../db/lock.ts'
import { sentenceOf } from '../archive/format.ts'
import {
  beginRestore,
  commitRestore,
  discardRestore,
  planRestore,
  undoRestore,
  restoreTask,
} from '../restoring/swap.ts'
import { runThread } from '../thread/run-thread.ts'
import { passphraseIn, progressPrinter } from './backup.ts'

/** Options of the command. */
export interface RestoreCommand {
  readonly file: string
  readonly dataDir: string
  readonly storages: Readonly<Record<string, string>>
  readonly passphraseFile?: string | undefined
  /** Whether existing content of the folder is moved aside. */
  readonly force: boolean
  readonly say: (line: string) => void
}

/**
 * Restores a backup into a data folder that is not in use. Checks everything before it replaces anything. Throws
 * StartupError with a message, and leaves the folder unchanged.
 */
export async function restoreCommand(command: RestoreCommand): Promise<void> {
  const { dataDir, storages, say } = command
  const file = resolve(command.file)
  if (!existsSync(file)) throw new StartupError(`There is no file ${file}.`)
  const passphrase = passphraseIn(command.passphraseFile)
  const folders = Object.values(storages)
  const occupiedFolder = [dataDir, ...folders].find((folder) => !isEmpty(folder))
  if (occupiedFolder !== undefined && !command.force)
    throw new StartupError(`The folder ${occupiedFolder} is not empty; --force moves its content aside.`)
  const isNew = !existsSync(dataDir)
  for (const folder of [dataDir, ...folders]) mkdirSync(folder, { recursive: true, mode: 0o700 })
  const lock = lockDataDir(dataDir)
  try {
    discardRestore(dataDir, folders)
    const task = restoreTask(dataDir, storages, { file, passphrase })
    const { head } = await runThread(task, { onProgress: progressPrinter(say) })
    const asked_at = new Date().toISOString()
    planRestore(dataDir, { file: basename(file), created_at: head.created_at, asked_at, storages: folders })
    const { aside } = swapData(dataDir)
    say(
      `The instance of ${head.created_at} is in ${dataDir}; start it with: deskforge serve --data-dir ${dataDir}`,
    )
    if (aside !== null) say(`The previous content is in ${aside}.`)
  } catch (error) {
    discardRestore(dataDir, folders)
    throw error instanceof StartupError
      ? error
      : new StartupError(`Nothing was restored: ${sentenceOf(error)}`)
  } finally {
    if (isNew) removeLock(dataDir)
    lock.release()
    if (isNew) removeIfEmpty(dataDir)
  }
}

function swapData(dataDir: string) {
  try {
    beginRestore(dataDir)
    return commitRestore(dataDir)!
  } catch (error) {
    undoRestore(dataDir)
    throw error
  }
}

/** Whether a folder has no content. Backups, logs and locks do not count as content. */
function isEmpty(folder: string): boolean {
  if (!existsSync(folder)) return true
  return readdirSync(folder).every((name) =>
    ['backups', 'logs', 'lost+found', LOCK_FILE, OWNER_FILE].includes(name),
  )
}

/** Removes the lock file of a folder without content, so that the folder can be removed. */
function removeLock(folder: string): void {
  if (isEmpty(folder)) rmSync(join(folder, LOCK_FILE), { force: true })
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // The folder has content.
  }
}
