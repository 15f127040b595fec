import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import { dataPaths } from '../../../config.ts'
import type { Ctx } from '../../../ctx.ts'
import { fail } from '../../../lib/fail.ts'
import type { FolderKind } from '../../importers/index.ts'
import type { Project } from '../../projects/index.ts'

/** A folder that the command line read and packed into a tar file. */
export interface PackedFolder {
  readonly kind: FolderKind
  /** The path as it is in the world. */
  readonly folder: string
  /** The tar file. */
  readonly path: string
}

/** Packed folders by the full path of their project; null if a check needs no content. */
export type PackedFolders = ReadonlyMap<string, PackedFolder | null>

/** An uploaded folder that no world uses is deleted after this time in milliseconds. */
const MAX_AGE_MS = 3_600_000
const MAX_FOLDERS = 1000

interface UploadedFolder extends PackedFolder {
  readonly since: number
}

/** The uploaded folders by ID. Their files are in the temporary folder, which every start empties. */
function uploadsOf(ctx: Ctx): Map<string, UploadedFolder> {
  return ctx.db.instance('workbench.folders', () => new Map<string, UploadedFolder>())
}

/** Stores a packed folder for a world and returns its ID. Throws 429 for too many. */
export function storeFolder(ctx: Ctx, folder: PackedFolder): string {
  const uploads = uploadsOf(ctx)
  for (const [id, { since }] of uploads) if (ctx.clock.now() - since > MAX_AGE_MS) deleteFolder(ctx, id)
  if (uploads.size >= MAX_FOLDERS) throw fail('too_many', 'Too many folders wait for a world.')
  const id = ctx.random.id()
  const path = join(dataPaths(ctx.config.dataDir).tmp, `world-folder-${id}.tar`)
  renameSync(folder.path, path)
  uploads.set(id, { ...folder, path, since: ctx.clock.now() })
  return id
}

/** Removes an uploaded folder. Its file may already be gone, because the world has moved it. */
export function deleteFolder(ctx: Ctx, id: string): void {
  const uploads = uploadsOf(ctx)
  const entry = uploads.get(id)
  if (entry) rmSync(entry.path, { force: true })
  uploads.delete(id)
}

/** The uploaded folders by the path of their project; `ids` has the IDs. Throws 400 if one does not exist. */
export function uploadedFolders(ctx: Ctx, ids: Readonly<Record<string, string>>): PackedFolders {
  const uploads = uploadsOf(ctx)
  return new Map(
    Object.entries(ids).map(([project, id]) => {
      const entry = uploads.get(id)
      if (!entry) throw fail('bad_request', `The folder of ${project} is missing; send it again.`)
      return [project, entry]
    }),
  )
}

/** True if a folder can be imported into a project: it does not exist, or it is empty and not being imported. */
export function needsFolder(project: Project | undefined): boolean {
  return (
    project === undefined || (project.empty_repo && !['scheduled', 'started'].includes(project.import_status))
  )
}
