import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

import { StartupError } from '../../../lib/fail.ts'
import { type Problem, readWorld, expandRepeats } from '../worlds/model/document.ts'
import type { PackedFolder } from '../worlds/service-folders.ts'
import { FolderProblem, packFolder, readFolder, type FolderListing } from './folder.ts'

/** A project of a world that gets its content from a folder. */
interface FolderSource {
  readonly project: string
  /** The path as it is in the world. */
  readonly folder: string
  /** A problem at its position in the text. */
  problem(message: string): Problem
}

/** The folders that a world names; none if the text is not a valid world. The check of the world reports that. */
function foldersOf(text: string): FolderSource[] {
  const { value: parsed, positions, problems } = readWorld(text)
  if (problems.length > 0) return []
  const { value } = expandRepeats(parsed, positions)
  const { projects } = (value ?? {}) as { projects?: unknown }
  if (!Array.isArray(projects)) return []
  return projects.flatMap((project: unknown, index): FolderSource[] => {
    const { path, folder } = (project ?? {}) as { path?: unknown; folder?: unknown }
    if (typeof path !== 'string' || typeof folder !== 'string') return []
    const problem = (message: string): Problem => ({
      ...positions.ofKey(project as object, 'folder'),
      path: `projects[${index}].folder`,
      message,
    })
    return [{ project: path, folder, problem }]
  })
}

/** A folder that a world names, and its files. */
export interface WorldFolder {
  readonly source: FolderSource
  readonly listing: FolderListing
}

/** Examines the folders of a world; their paths are relative to its file. Problems have positions in its text. */
export async function foldersOfFile(
  file: string,
  text: string,
): Promise<{ folders: WorldFolder[]; problems: Problem[] }> {
  const folders: WorldFolder[] = []
  const problems: Problem[] = []
  for (const source of foldersOf(text)) {
    try {
      folders.push({ source, listing: await readFolder(resolve(dirname(file), source.folder)) })
    } catch (error) {
      if (!(error instanceof FolderProblem)) throw error
      problems.push(source.problem(error.message))
    }
  }
  return { folders, problems }
}

/** Packs a folder into a tar file. Throws StartupError. */
export async function packWorldFolder({ source, listing }: WorldFolder, path: string): Promise<PackedFolder> {
  try {
    await packFolder(listing, path)
  } catch (error) {
    throw error instanceof FolderProblem ? new StartupError(error.message) : error
  }
  return { kind: listing.kind, folder: source.folder, path }
}

/** Packs folders into temporary files, which exist while `callback` runs. Throws StartupError. */
export async function withPackedFolders(
  folders: readonly WorldFolder[],
  callback: (source: FolderSource, packed: PackedFolder) => Promise<void>,
): Promise<void> {
  const tempDir = await mkdtemp(join(tmpdir(), 'deskforge-world-'))
  try {
    for (const [index, folder] of folders.entries()) {
      const path = join(tempDir, `${index}.tar`)
      await callback(folder.source, await packWorldFolder(folder, path))
      await rm(path, { force: true })
    }
  } finally {
    await rm(tempDir, { recursive: true, force: true })
  }
}
