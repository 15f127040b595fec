import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'

import { ImportFailure, ArchiveProblem, tarEntries, type TarEntry } from '../../import_export/index.ts'

/** What was found in a folder. */
export type FolderKind = 'repository' | 'bare' | 'files'

const MOST_FILES = 1_000_000
const LONGEST_PATH = 1024
const NOT_A_FOLDER = 'What arrived is no folder.'

/** Of a repository, only this is taken: no settings, no hooks, nothing that leads elsewhere. */
const OF_REPOSITORY =
  /^(HEAD|packed-refs|refs\/(heads|tags)\/.+|objects\/[0-9a-f]{2}\/[0-9a-f]{38}|objects\/pack\/pack-[0-9a-f]{40}\.(pack|idx))$/

/**
 * Unpacks the tar of a folder: of a repository its objects and refs, of other folders their files. Links, devices and paths that
 * lead out are refused. `kind` is what the sender said; `into` is there and empty. Throws ImportFailure.
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
      const place = join(into, target)
      await mkdir(dirname(place), { recursive: true, mode: 0o700 })
      await pipeline(entry.content(), createWriteStream(place, { flags: 'wx', mode: 0o600 }), { signal })
      onProgress(files)
    }
  } catch (error) {
    signal.throwIfAborted()
    throw problemOf(error)
  }
  return files
}

function problemOf(error: unknown): unknown {
  if (error instanceof ArchiveProblem)
    return new ImportFailure(error.message.endsWith('is empty.') ? 'The folder is empty.' : NOT_A_FOLDER)
  const code = (error as NodeJS.ErrnoException).code ?? ''
  if (code === 'ENOSPC') return new ImportFailure('There is no space left on the disk.')
  if (['EEXIST', 'EISDIR', 'ENOTDIR'].includes(code))
    return new ImportFailure('The folder has two files of one name.')
  return code === 'ENAMETOOLONG' ? new ImportFailure('The folder has a name that is too long.') : error
}

/** The path of a file below the folder; null for folders. Throws ImportFailure for what is none, or leads out. */
function pathOf({ name, kind }: TarEntry): string | null {
  if (kind === 'folder') return null
  if (kind !== 'file') throw new ImportFailure('The folder has links or devices, which are not taken over.')
  const parts = name.split('/').filter((part) => part !== '.')
  const isOdd = parts.some((part) => part === '' || part === '..' || /[\0\\]/.test(part))
  if (parts.length === 0 || isOdd || name.length > LONGEST_PATH)
    throw new ImportFailure('The folder has a path that cannot stand.')
  return parts.join('/')
}

/** Where a file goes, or null for one that is not taken. */
function targetOf(path: string, kind: FolderKind): string | null {
  if (kind === 'files') return path.split('/').some(isGits) ? null : path
  const inside = kind === 'bare' ? path : path.startsWith('.git/') ? path.slice('.git/'.length) : null
  return inside !== null && OF_REPOSITORY.test(inside) ? inside : null
}

/** A folder of git, also under the names that some file systems take for it. */
const isGits = (part: string): boolean =>
  /^(\.git|git~\d+)[. ]*$/i.test(part.normalize('NFKC').replace(/[\u200b-\u200f\ufeff]/g, ''))
