import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

import { dataPaths, type Config } from '../../../config.ts'
import type { Ctx } from '../../../ctx.ts'
import { keepFile } from '../../../lib/files/durable-file.ts'
import { removalsOf } from '../../../lib/gate.ts'
import { namesWrittenBefore, ownerFolders, removeIfEmpty } from '../../../lib/files/owner-folders.ts'

/** Where a file of a job lies. */
export interface FileLocation {
  readonly project_id: number
  readonly stored_as: string
}

function folderOf(config: Config, projectId: number): string {
  return join(dataPaths(config.dataDir).artifacts, String(projectId))
}

/** Path of a stored file. Whether it is there is another question. */
export function pathOf({ config }: Pick<Ctx, 'config'>, { project_id, stored_as }: FileLocation): string {
  return join(folderOf(config, project_id), stored_as)
}

/**
 * Makes a file of the temporary folder that of a project. When this returns it is on disk for good; before, there is nothing
 * of that name. It is moved, not copied: both folders lie in the data folder.
 */
export async function adopt(
  ctx: Pick<Ctx, 'config'>,
  location: FileLocation,
  temporary: string,
): Promise<void> {
  await keepFile(temporary, pathOf(ctx, location))
}

/** Bytes of a stored file; undefined where it is gone. */
export async function sizeOf(ctx: Pick<Ctx, 'config'>, location: FileLocation): Promise<number | undefined> {
  const found = await stat(pathOf(ctx, location)).catch(() => undefined)
  return found?.isFile() ? found.size : undefined
}

/** Removes a stored file; none is fine. */
export async function removeContent(ctx: Pick<Ctx, 'config'>, location: FileLocation): Promise<void> {
  await removalsOf(ctx.config).pass(() => rm(pathOf(ctx, location), { force: true }))
}

/** Removes what a deleted project has left. */
export async function removeFolder({ config }: Pick<Ctx, 'config'>, projectId: number): Promise<void> {
  const folder = folderOf(config, projectId)
  await removalsOf(config).pass(() => rm(folder, { recursive: true, force: true }))
}

/** The projects that have a folder, also those that are gone. */
export async function foldersOnDisk({ config }: Pick<Ctx, 'config'>): Promise<number[]> {
  return ownerFolders(dataPaths(config.dataDir).artifacts)
}

/** Names in the folder of a project that were written before a moment. */
export async function writtenBefore(
  { config }: Pick<Ctx, 'config'>,
  projectId: number,
  moment: string,
): Promise<string[]> {
  return namesWrittenBefore(folderOf(config, projectId), moment)
}

/** Removes the folder of a project if nothing is in it. */
export async function removeEmptyFolder({ config }: Pick<Ctx, 'config'>, projectId: number): Promise<void> {
  await removeIfEmpty(folderOf(config, projectId))
}
