import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

import type { Ctx } from '../../../ctx.ts'
import { enqueue, job } from '../../../jobs/job.ts'
import { addDays } from '../../../lib/clock.ts'
import * as store from './store.ts'
import { dataPaths, type Config } from '../../../config.ts'
import { moveDurably } from '../../../lib/files/durable-file.ts'
import { removalsOf } from '../../../lib/gate.ts'
import { namesWrittenBefore, ownerFolders, removeIfEmpty } from '../../../lib/files/folders.ts'

const BATCH = 500

/** Deletes the files of deleted artifacts. */
export const removeDeletedFilesJob = job('ci.remove_gone_artifacts', { args: {} }, removeDeletedFiles)

/** Enqueues the deletion of the files of deleted artifacts. Call it in the transaction that deletes the rows. */
export function requestRemoval(ctx: Ctx): void {
  enqueue(ctx, removeDeletedFilesJob, {}, { key: 'ci.artifacts', once: 'ci.remove_gone_artifacts' })
}

/** Deletes the files of deleted artifacts, after the transaction that deleted the rows was committed. */
export async function removeDeletedFiles(ctx: Pick<Ctx, 'db' | 'config'>): Promise<void> {
  for (;;) {
    const files = store.filesToDelete(ctx.db, BATCH)
    for (const file of files) await removeContent(ctx, file)
    const names = files.map((file) => file.stored_as)
    store.removeDeletedRows(ctx.db, names)
    if (files.length < BATCH) return
  }
}

/** Deletes files that no artifact refers to. Files of the last day are kept, because an upload may still be running. */
export async function removeOrphans(ctx: Ctx): Promise<void> {
  for (const projectId of await foldersOnDisk(ctx)) {
    const names = await filesWrittenBefore(ctx, projectId, addDays(ctx.now, -1))
    for (const stored_as of store.unreferencedNames(ctx.db, names))
      await removeContent(ctx, { project_id: projectId, stored_as })
    await removeEmptyFolder(ctx, projectId)
  }
}

/** The project and the stored name of a file, which determine its path. */
export interface FileLocation {
  readonly project_id: number
  readonly stored_as: string
}

function folderOf(config: Config, projectId: number): string {
  return join(dataPaths(config.dataDir).artifacts, String(projectId))
}

/** Returns the path of a stored file, which may be missing on disk. */
export function pathOf({ config }: Pick<Ctx, 'config'>, { project_id, stored_as }: FileLocation): string {
  return join(folderOf(config, project_id), stored_as)
}

/**
 * Moves a file from the temporary folder to the folder of a project and syncs it to disk. The move is atomic, because
 * both folders are in the data folder.
 */
export async function storeFile(
  ctx: Pick<Ctx, 'config'>,
  location: FileLocation,
  temporary: string,
): Promise<void> {
  await moveDurably(temporary, pathOf(ctx, location))
}

/** The size of a stored file in bytes. Undefined if it is missing. */
export async function sizeOf(ctx: Pick<Ctx, 'config'>, location: FileLocation): Promise<number | undefined> {
  const stats = await stat(pathOf(ctx, location)).catch(() => undefined)
  return stats?.isFile() ? stats.size : undefined
}

/** Deletes a stored file, if it exists. */
export async function removeContent(ctx: Pick<Ctx, 'config'>, location: FileLocation): Promise<void> {
  await removalsOf(ctx.config).pass(() => rm(pathOf(ctx, location), { force: true }))
}

/** Deletes the files of a deleted project. */
export async function removeFolder({ config }: Pick<Ctx, 'config'>, projectId: number): Promise<void> {
  const folder = folderOf(config, projectId)
  await removalsOf(config).pass(() => rm(folder, { recursive: true, force: true }))
}

/** The IDs of all projects with a folder, including deleted projects. */
export async function foldersOnDisk({ config }: Pick<Ctx, 'config'>): Promise<number[]> {
  return ownerFolders(dataPaths(config.dataDir).artifacts)
}

/** The names of the files in the folder of a project that are older than the given time. */
export async function filesWrittenBefore(
  { config }: Pick<Ctx, 'config'>,
  projectId: number,
  time: string,
): Promise<string[]> {
  return namesWrittenBefore(folderOf(config, projectId), time)
}

/** Deletes the folder of a project if it is empty. */
export async function removeEmptyFolder({ config }: Pick<Ctx, 'config'>, projectId: number): Promise<void> {
  await removeIfEmpty(folderOf(config, projectId))
}
