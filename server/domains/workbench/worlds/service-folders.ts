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
  /** As the world writes it. */
  readonly folder: string
  /** The tar file. */
  readonly path: string
}

/** Packed folders by the full path of their project; null if a check needs no content. */
export type PackedFolders = ReadonlyMap<string, PackedFolder | null>

/** The time in milliseconds for which an uploaded folder waits for its world. */
const KEPT_MS = 3_600_000
const MAX_FOLDERS = 1000

interface Waiting extends PackedFolder {
  readonly since: number
}

/** The files are in the temporary folder, which every start empties. */
function waitingOf(ctx: Ctx): Map<string, Waiting> {
  return ctx.db.instance('workbench.folders', () => new Map<string, Waiting>())
}

/** Keeps a packed folder for the world that is sent next, and returns its name. Throws 429 for too many. */
export function storeFolder(ctx: Ctx, folder: PackedFolder): string {
  const waiting = waitingOf(ctx)
  for (const [id, { since }] of waiting) if (ctx.clock.now() - since > KEPT_MS) dropFolder(ctx, id)
  if (waiting.size >= MAX_FOLDERS) throw fail('too_many', 'Too many folders wait for a world.')
  const id = ctx.random.id()
  const path = join(dataPaths(ctx.config.dataDir).tmp, `world-folder-${id}.tar`)
  renameSync(folder.path, path)
  waiting.set(id, { ...folder, path, since: ctx.clock.now() })
  return id
}

/** Removes a packed folder; a world may have taken its file. */
export function dropFolder(ctx: Ctx, id: string): void {
  const waiting = waitingOf(ctx)
  const entry = waiting.get(id)
  if (entry) rmSync(entry.path, { force: true })
  waiting.delete(id)
}

/** The packed folders of these names. Throws 400 if one is not here. */
export function keptFolders(ctx: Ctx, names: Readonly<Record<string, string>>): PackedFolders {
  const waiting = waitingOf(ctx)
  return new Map(
    Object.entries(names).map(([project, id]) => {
      const entry = waiting.get(id)
      if (!entry) throw fail('bad_request', `The folder of ${project} is missing; send it again.`)
      return [project, entry]
    }),
  )
}

/** Whether a project gets its content from its folder: it is empty and not being imported. */
export function needsFolder(project: Project | undefined): boolean {
  return (
    project === undefined || (project.empty_repo && !['scheduled', 'started'].includes(project.import_status))
  )
}
