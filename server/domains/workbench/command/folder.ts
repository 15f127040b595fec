import { constants, createReadStream, createWriteStream, type Dirent } from 'node:fs'
import { lstat, open, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import { TAR_END, tarHeader, tarPadding } from '../../../lib/archive/tar-writer.ts'
import type { FolderKind } from '../../importers/index.ts'

/** The kind and the files of a folder that a world names. */
export interface FolderListing {
  readonly kind: FolderKind
  readonly root: string
  readonly files: readonly { readonly path: string; readonly size: number }[]
}

/** The reason why a folder is refused, as a sentence. */
export class FolderProblem extends Error {}

const MAX_FILES = 200_000
const MAX_BYTES = 2 * 1024 ** 3

/** The paths of a repository that are read. Settings, hooks and files of the work tree are left out. */
const REPOSITORY_PATHS =
  /^(HEAD|packed-refs|refs(\/(heads|tags)(\/.+)?)?|objects(\/[0-9a-f]{2}(\/[0-9a-f]{38})?|\/pack(\/pack-[0-9a-f]{40}\.(pack|idx))?)?)$/

/**
 * Examines a folder: a git repository with or without a work tree, or plain files. Links are left out and never
 * followed, so nothing outside the folder is read. Throws FolderProblem.
 */
export async function readFolder(folder: string): Promise<FolderListing> {
  try {
    return await examine(folder)
  } catch (error) {
    if (error instanceof FolderProblem) throw error
    throw new FolderProblem(sentenceOf(folder, error as NodeJS.ErrnoException))
  }
}

function sentenceOf(folder: string, { code, path = folder, message }: NodeJS.ErrnoException): string {
  if ((code === 'ENOENT' || code === 'ENOTDIR') && path === folder) return `There is no folder ${folder}.`
  if (code === 'EACCES' || code === 'EPERM') return `The permissions of ${path} do not allow to read it.`
  return `${folder} cannot be read: ${message}.`
}

async function examine(folder: string): Promise<FolderListing> {
  if (!(await stat(folder)).isDirectory()) throw new FolderProblem(`${folder} is no folder.`)
  const [git, head, objects, refs] = await Promise.all(
    ['.git', 'HEAD', 'objects', 'refs'].map((name) => lstat(join(folder, name)).catch(ignoreMissing)),
  )
  if (git && !git.isDirectory())
    throw new FolderProblem(`${folder} is a work tree of a repository elsewhere; name that repository.`)
  const isBare = head?.isFile() && objects?.isDirectory() && refs?.isDirectory()
  const kind = git ? 'repository' : isBare ? 'bare' : 'files'
  const root = git ? join(folder, '.git') : folder
  if (kind !== 'files' && (await hasAlternates(root)))
    throw new FolderProblem(`${folder} has objects in another repository; name a complete one.`)
  const files = await filesOf(folder, root, kind)
  if (files.length === 0) throw new FolderProblem(`${folder} is empty.`)
  const prefix = git ? '.git/' : ''
  return { kind, root: folder, files: files.map(({ path, size }) => ({ path: prefix + path, size })) }
}

async function hasAlternates(gitDir: string): Promise<boolean> {
  return (await stat(join(gitDir, 'objects/info/alternates')).catch(ignoreMissing)) !== undefined
}

/** The files below a folder with their sizes. Folders that a `.gitignore` excludes are not read. */
async function filesOf(
  folder: string,
  root: string,
  kind: FolderKind,
): Promise<{ path: string; size: number }[]> {
  const files: { path: string; size: number }[] = []
  let bytes = 0
  const walk = async (prefix: string): Promise<void> => {
    const entries = await readdir(join(root, prefix), { withFileTypes: true })
    const ignored = kind === 'files' ? await ignoredIn(join(root, prefix), entries) : new Set()
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = prefix === '' ? entry.name : `${prefix}/${entry.name}`
      const isExcluded =
        kind === 'files' ? entry.name === '.git' || ignored.has(entry.name) : !REPOSITORY_PATHS.test(path)
      if (isExcluded) continue
      if (entry.isDirectory()) await walk(path)
      if (!entry.isFile()) continue
      const { size } = await lstat(join(root, path))
      bytes += size
      files.push({ path, size })
      if (files.length > MAX_FILES)
        throw new FolderProblem(`${folder} has more than ${MAX_FILES.toLocaleString('en')} files.`)
      if (bytes > MAX_BYTES) throw new FolderProblem(`${folder} is larger than 2 GB.`)
    }
  }
  await walk('')
  return files
}

/**
 * Names of folders that a `.gitignore` excludes completely, such as `node_modules/`. The instance applies the other
 * rules.
 */
async function ignoredIn(folder: string, entries: readonly Dirent[]): Promise<ReadonlySet<string>> {
  if (!entries.some((entry) => entry.name === '.gitignore' && entry.isFile())) return new Set()
  const lines = (await readFile(join(folder, '.gitignore'), 'utf8')).split(/\r?\n/).map((line) => line.trim())
  // A rule with `!` may include folders that an earlier rule excludes.
  if (lines.some((line) => line.startsWith('!'))) return new Set()
  const plain = lines.filter((line) => /^\/?[\w.@ -]+\/?$/.test(line))
  return new Set(plain.map((line) => line.replace(/^\/|\/$/g, '')))
}

/** Writes the files of a folder into a tar file. Throws FolderProblem. */
export async function packFolder({ root, files }: FolderListing, to: string): Promise<void> {
  const chunks = async function* (): AsyncGenerator<Buffer> {
    for (const { path, size } of files) {
      yield tarHeader({ name: path, size, mode: 0o644, mtime: 0 })
      yield* contentOf(join(root, path), size)
      yield tarPadding(size)
    }
    yield TAR_END
  }
  try {
    await pipeline(Readable.from(chunks()), createWriteStream(to, { flags: 'wx', mode: 0o600 }))
  } catch (error) {
    if (error instanceof FolderProblem) throw error
    throw new FolderProblem(sentenceOf(root, error as NodeJS.ErrnoException))
  }
}

/**
 * The content of a file, up to the size that it had when the folder was examined. Refuses a link that replaced the
 * file.
 */
async function* contentOf(file: string, size: number): AsyncGenerator<Buffer> {
  if (size === 0) return
  const handle = await open(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
  let read = 0
  for await (const chunk of createReadStream('', { fd: handle, end: size - 1 })) {
    read += (chunk as Buffer).length
    yield chunk as Buffer
  }
  if (read < size) throw new FolderProblem(`${file} changed while it was read.`)
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
  throw error
}
