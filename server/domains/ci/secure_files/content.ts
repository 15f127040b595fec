import { readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { dataPaths, type Config } from '../../../config.ts'
import type { Ctx } from '../../../ctx.ts'
import { keepFile, makeDurableFolder } from '../../../lib/files/durable-file.ts'
import { removalsOf } from '../../../lib/gate.ts'
import { namesWrittenBefore, ownerFolders, removeIfEmpty } from '../../../lib/files/owner-folders.ts'
import { SEALED_FILES } from '../../../lib/security/sealed-columns.ts'
import type { SecureFileRow } from './store.ts'
import { addDays } from '../../../lib/clock.ts'
import * as store from './store.ts'

type StoredFile = Pick<SecureFileRow, 'project_id' | 'stored_as'>

function folderOf(config: Config, projectId: number): string {
  return join(dataPaths(config.dataDir).secureFiles, String(projectId))
}

function pathOf(config: Config, { project_id, stored_as }: StoredFile): string {
  return join(folderOf(config, project_id), stored_as)
}

/** A sealed file opens under its own name only, so that two cannot be exchanged. */
function purposeOf({ stored_as }: StoredFile) {
  return `${SEALED_FILES}:${stored_as}` as const
}

/** Writes the content of a file, sealed. When this returns it is on disk for good; before, there is nothing of that name. */
export async function writeContent(ctx: Ctx, file: StoredFile, content: Buffer): Promise<void> {
  const path = pathOf(ctx.config, file)
  await makeDurableFolder(dirname(path))
  await writeFile(`${path}.part`, ctx.secrets.seal(content, purposeOf(file)), { mode: 0o600 })
  await keepFile(`${path}.part`, path)
}

/** The content of a file as it was uploaded. Throws when it is gone or does not open. */
export async function secureFileContent(
  ctx: Pick<Ctx, 'config' | 'secrets'>,
  file: StoredFile,
): Promise<Buffer> {
  return ctx.secrets.open(await readFile(pathOf(ctx.config, file), 'utf8'), purposeOf(file))
}

/** Removes the content of a file; none is fine. */
export async function removeContent({ config }: Pick<Ctx, 'config'>, file: StoredFile): Promise<void> {
  const path = pathOf(config, file)
  await removalsOf(config).pass(async () => {
    for (const one of [path, `${path}.part`]) await rm(one, { force: true })
  })
}

/** Removes what a deleted project has left. */
export async function removeFolder({ config }: Pick<Ctx, 'config'>, projectId: number): Promise<void> {
  const folder = folderOf(config, projectId)
  await removalsOf(config).pass(() => rm(folder, { recursive: true, force: true }))
}

/** The projects that have a folder, also those that are gone. */
export async function foldersOnDisk({ config }: Pick<Ctx, 'config'>): Promise<number[]> {
  return ownerFolders(dataPaths(config.dataDir).secureFiles)
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

/** Removes content that no row names and that is no upload of just now; called by the clock. */
export async function removeOrphans(ctx: Ctx): Promise<void> {
  for (const projectId of await foldersOnDisk(ctx)) {
    const names = await writtenBefore(ctx, projectId, addDays(ctx.now, -1))
    for (const stored_as of store.unknownOf(ctx.db, projectId, names))
      await removeContent(ctx, { project_id: projectId, stored_as })
    await removeEmptyFolder(ctx, projectId)
  }
}
