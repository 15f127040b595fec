import {
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

import { dataPaths } from '../../../config.ts'
import { migrations } from '../../../db/migrate.ts'
import { openDatabase } from '../../../db/open.ts'
import { syncFileNow } from '../../../lib/files/durable-file.ts'
import { openLog } from '../../../lib/log.ts'
import { restoreFiles } from './files.ts'
import {
  manifestOf,
  manifestsIn,
  markerFile,
  UNFINISHED,
  pathsOf,
  readJson,
  snapshotsDir,
  type Manifest,
  type RestoreMarker,
} from './manifest.ts'
import { dirOf, restoreRepositories, type SavedRepository } from './repositories.ts'

/** Repositories of a snapshot. */
export function savedRepositories(dataDir: string, name: string): SavedRepository[] {
  return readJson<SavedRepository[]>(pathsOf(dataDir, name).refs) ?? []
}

/** Folders of repositories that snapshots refer to. `except` names a snapshot to ignore. */
export function neededBySnapshots(dataDir: string, except?: string): Set<string> {
  const neededDirs = new Set<string>()
  for (const { name, storages } of manifestsIn(dataDir)) {
    if (name === except) continue
    for (const repository of savedRepositories(dataDir, name)) {
      const gitDir = dirOf(repository, storages)
      if (gitDir !== undefined) neededDirs.add(gitDir)
    }
  }
  return neededDirs
}

/** Records the restore, so that a start after a crash finishes it. */
export function beginRestore(dataDir: string, marker: RestoreMarker): void {
  writeFileSync(`${markerFile(dataDir)}.part`, JSON.stringify(marker), { mode: 0o600 })
  renameSync(`${markerFile(dataDir)}.part`, markerFile(dataDir))
}

export function endRestore(dataDir: string): void {
  rmSync(markerFile(dataDir), { force: true })
}

/** Restores files and repositories. Returns the folders of removed repositories, which are to be deleted. */
export function restoreFilesAndRepositories(dataDir: string, { name, storages }: RestoreMarker): string[] {
  restoreFiles(dataDir, pathsOf(dataDir, name).files)
  const neededDirs = neededBySnapshots(dataDir)
  return restoreRepositories(savedRepositories(dataDir, name), storages, (gitDir) => neededDirs.has(gitDir))
}

/** Creates a copy of the snapshot's database that is ready to replace the current one. */
export function prepareDatabase(dataDir: string, manifest: Manifest, isDurable: boolean): string {
  const copy = `${dataPaths(dataDir).database}.restored`
  for (const suffix of ['', '-wal', '-shm']) rmSync(copy + suffix, { force: true })
  copyFileSync(pathsOf(dataDir, manifest.name).database, copy, constants.COPYFILE_FICLONE)
  if (manifest.schema !== migrations.at(-1)?.name) upgrade(dataDir, copy)
  if (isDurable) syncFileNow(copy)
  return copy
}

function upgrade(dataDir: string, file: string): void {
  const backupDir = join(snapshotsDir(dataDir), '.upgrade')
  openDatabase({ file, backupDir, temporary: true, log: openLog('', 'silent') }).close()
  rmSync(backupDir, { recursive: true, force: true })
}

/** Replaces a database by the prepared copy. Call it while the database is closed. */
export function replaceDatabase(file: string, copy: string): void {
  // The log of the previous content does not belong to the new one.
  for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true })
  renameSync(copy, file)
}

/**
 * Finishes a restore that a crash interrupted, and removes unfinished snapshots. Call it before the database is opened.
 * Returns the name of the restored snapshot.
 */
export function finishRestore(dataDir: string): string | undefined {
  const folder = snapshotsDir(dataDir)
  if (!existsSync(folder)) return undefined
  const marker = readJson<RestoreMarker>(markerFile(dataDir))
  const manifest = marker && manifestOf(dataDir, marker.name)
  if (marker && manifest) {
    const copy = prepareDatabase(dataDir, manifest, true)
    for (const removedDir of restoreFilesAndRepositories(dataDir, marker))
      rmSync(removedDir, { recursive: true, force: true })
    replaceDatabase(dataPaths(dataDir).database, copy)
  }
  for (const name of readdirSync(folder).filter((entry) => UNFINISHED.test(entry)))
    rmSync(join(folder, name), { recursive: true, force: true })
  return manifest?.name
}

export function makeSnapshotsDir(dataDir: string): void {
  mkdirSync(snapshotsDir(dataDir), { recursive: true, mode: 0o700 })
}
