import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

import { StartupError } from '../../../lib/fail.ts'
import type { Problem } from '../worlds/model/document.ts'
import { foldersOf, type FolderSource } from '../worlds/model/folders.ts'
import type { PackedFolder } from '../worlds/service-folders.ts'
import { FolderProblem, packFolder, readFolder, type ReadFolder } from './folder.ts'

/** A folder that a world refers to, and its content. */
export interface FoundFolder {
  readonly source: FolderSource
  readonly read: ReadFolder
}

/** The folders of a world, relative to its file. Problems have positions in its text. */
export async function foldersOfFile(
  file: string,
  text: string,
): Promise<{ found: FoundFolder[]; problems: Problem[] }> {
  const folders: FoundFolder[] = []
  const problems: Problem[] = []
  for (const source of foldersOf(text)) {
    try {
      folders.push({ source, read: await readFolder(resolve(dirname(file), source.folder)) })
    } catch (error) {
      if (!(error instanceof FolderProblem)) throw error
      problems.push(source.problem(error.message))
    }
  }
  return { found: folders, problems }
}

/** Packs a folder into a tar file. Throws StartupError. */
export async function packed({ source, read }: FoundFolder, path: string): Promise<PackedFolder> {
  try {
    await packFolder(read, path)
  } catch (error) {
    throw error instanceof FolderProblem ? new StartupError(error.message) : error
  }
  return { kind: read.kind, folder: source.folder, path }
}

/** Packs folders into temporary files, which exist while `use` runs. Throws StartupError. */
export async function withPacked(
  folders: readonly FoundFolder[],
  use: (source: FolderSource, packed: PackedFolder) => Promise<void>,
): Promise<void> {
  const work = await mkdtemp(join(tmpdir(), 'deskforge-world-'))
  try {
    for (const [index, folder] of folders.entries()) {
      const path = join(work, `${index}.tar`)
      await use(folder.source, await packed(folder, path))
      await rm(path, { force: true })
    }
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}
