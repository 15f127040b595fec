import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'

import { tarEntries, TarProblem, type TarEntry } from '../../../lib/archive/tar-reader.ts'
import { ImportFailure } from '../../import_export/index.ts'

/** The content of a folder. */
export type FolderKind = 'repository' | 'bare' | 'files'

const MOST_FILES = 1_000_000
const LONGEST_PATH = 1024
const NOT_A_FOLDER = 'What arrived is no folder.'

/** The imported parts of a repository. Settings, hooks and references to other folders are not imported. */
const OF_REPOSITORY =
  /^(HEAD|packed-refs|refs\/(heads|tags)\/.+|objects\/[0-9a-f]{2}\/[0-9a-f]{38}|objects\/pack\/pack-[0-9a-f]{40}\.(pack|idx))$/

/**
 * Unpacks the tar file of a folder: objects and refs of a repository, or the files of any other folder. Rejects links, devices
 * and paths outside the folder. `kind` comes from the sender; `into` is an empty folder. Throws ImportFailure.
 */
export async function unpackFolder(
  file: string,
  into: string,
  kind: FolderKind,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (files: number) => void },
): Promise<number> {
  let files = 0
  try {
    for await (const entry of tarEntries(createReadStream(file, { signal }))) {
      const path = pathOf(entry)
      const target = path === null ? null : targetOf(path, kind)
      if (target === null) continue
      if (++files > MOST_FILES) throw new ImportFailure('The folder has too many files.')
      const to = join(into, target)
      await mkdir(dirname(to), { recursive: true, mode: 0o700 })
      await pipeline(entry.content(), createWriteStream(to, { flags: 'wx', mode: 0o600 }), { signal })
      onProgress(files)
    }
  } catch (error) {
    signal.throwIfAborted()
    throw problemOf(error)
  }
  return files
}

function problemOf(error: unknown): unknown {
  if (error instanceof TarProblem)
    return new ImportFailure(error.reason === 'empty' ? 'The folder is empty.' : NOT_A_FOLDER)
  const code = (error as NodeJS.ErrnoException).code ?? ''
  if (code === 'ENOSPC') return new ImportFailure('There is no space left on the disk.')
  if (['EEXIST', 'EISDIR', 'ENOTDIR'].includes(code))
    return new ImportFailure('The folder has two files with the same name.')
  return code === 'ENAMETOOLONG' ? new ImportFailure('The folder has a name that is too long.') : error
}

/**
 * The path of a file in the folder; null for folders. Throws ImportFailure for other entries and for paths outside the folder.
 */
function pathOf({ name, kind }: TarEntry): string | null {
  if (kind === 'folder') return null
  if (kind !== 'file') throw new ImportFailure('The folder has links or devices, which are not imported.')
  const parts = name.split('/').filter((part) => part !== '.')
  const isOdd = parts.some((part) => part === '' || part === '..' || /[\0\\]/.test(part))
  if (parts.length === 0 || isOdd || name.length > LONGEST_PATH)
    throw new ImportFailure('The folder has an invalid path.')
  return parts.join('/')
}

/** The path of an imported file, or null for one that is left out. */
function targetOf(path: string, kind: FolderKind): string | null {
  if (kind === 'files') return path.split('/').some(isGits) ? null : path
  const inside = kind === 'bare' ? path : path.startsWith('.git/') ? path.slice('.git/'.length) : null
  return inside !== null && OF_REPOSITORY.test(inside) ? inside : null
}

/** Matches `.git` and all names that a file system treats as equal. */
const isGits = (part: string): boolean =>
  /^(\.git|git~\d+)[. ]*$/i.test(part.normalize('NFKC').replace(/[\u200b-\u200f\ufeff]/g, ''))
