import { createHash } from 'node:crypto'
import { mkdir, open, rm } from 'node:fs/promises'
import path from 'node:path'
import { syncFolder } from '../../lib/files/durable-file.ts'
import { entriesBelow } from '../../lib/files/folders.ts'
import { git, option } from '../args.ts'
import { run } from '../process/run.ts'
import type { Repo } from '../types.ts'

/** One file of a repository. */
interface RepositoryFile {
  /** The path below the repository's folder. */
  readonly name: string
  readonly bytes: number
  readonly mode: number
  readonly mtime: Date
}

export interface CopyOptions {
  /** Stops the copy between two chunks. Files that were already copied stay. */
  readonly signal?: AbortSignal
  /** Called with the number of bytes after each write. */
  readonly onBytes?: (bytes: number) => void
}

/** Unfinished files of git: locks, packs that are being received, objects of pushes that are not permitted yet. */
const UNFINISHED = /(^|\/)(tmp_[^/]+|incoming-[^/]+)(\/|$)|\.lock$/
/** Files with a hash of their content as the name. Two of them with the same name and size are equal. */
const NAMED_BY_CONTENT = /^objects\/([0-9a-f]{2}\/[0-9a-f]{38,}|pack\/pack-[0-9a-f]{40,}\.(pack|idx|rev))$/
/** The folders without which git does not recognize a repository. */
const REQUIRED_FOLDERS = ['objects', 'refs', 'refs/heads', 'refs/tags']
const CHUNK_BYTES = 1024 * 1024

/** The size of all files of the repository in a folder, in bytes; 0 if there is none. */
export async function folderSize(folder: string): Promise<number> {
  const files = await filesOf(folder)
  return files.reduce((sum, { bytes }) => sum + bytes, 0)
}

/**
 * Makes the folder `to` equal to the repository in `from`, file by file, including unreachable objects. Another call
 * copies changed files and removes deleted ones. A copy that was made during writes is complete only after another call
 * without writes. When the promise resolves, all files are on the disk.
 */
export async function copyFolder(from: string, to: string, options: CopyOptions = {}): Promise<void> {
  const [files, existing] = await Promise.all([filesOf(from), filesOf(to)])
  const byName = new Map(existing.map((file) => [file.name, file]))
  const folders = new Set(REQUIRED_FOLDERS)
  for (const file of files) {
    options.signal?.throwIfAborted()
    const copied = byName.get(file.name)
    byName.delete(file.name)
    if (copied?.bytes === file.bytes && NAMED_BY_CONTENT.test(file.name)) continue
    folders.add(path.posix.dirname(file.name))
    await mkdir(path.join(to, path.dirname(file.name)), { recursive: true })
    await copyFile(file, { from, to }, options)
  }
  for (const name of byName.keys()) await rm(path.join(to, name), { force: true })
  for (const name of folders) await mkdir(path.join(to, name), { recursive: true })
  for (const name of [...folders, '.']) await syncFolder(path.join(to, name))
}

/** Lists the finished files of a repository. */
async function filesOf(folder: string): Promise<RepositoryFile[]> {
  const entries = await entriesBelow(folder)
  const files: RepositoryFile[] = []
  for (const entry of entries ?? []) {
    const file = path.join(entry.parentPath, entry.name)
    const name = path.relative(folder, file).replaceAll(path.sep, '/')
    if (!entry.isFile() || UNFINISHED.test(name)) continue
    const info = await statOf(file)
    // The file may have been packed, deleted or replaced after the folder was listed.
    if (info) files.push({ name, bytes: info.size, mode: info.mode & 0o777, mtime: info.mtime })
  }
  return files
}

async function statOf(file: string) {
  const handle = await open(file, 'r').catch(ignoreMissing)
  try {
    return await handle?.stat()
  } finally {
    await handle?.close()
  }
}

async function copyFile(
  file: RepositoryFile,
  { from, to }: { readonly from: string; readonly to: string },
  { signal, onBytes }: CopyOptions,
): Promise<void> {
  const source = await open(path.join(from, file.name), 'r').catch(ignoreMissing)
  if (!source) return
  try {
    const target = path.join(to, file.name)
    // Git makes objects read-only, so an older copy cannot be overwritten.
    await rm(target, { force: true })
    const copy = await open(target, 'wx', file.mode)
    try {
      const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Math.max(1, file.bytes)))
      for (;;) {
        signal?.throwIfAborted()
        const { bytesRead } = await source.read(chunk, 0, chunk.length)
        if (bytesRead === 0) break
        await copy.writeFile(chunk.subarray(0, bytesRead))
        onBytes?.(bytesRead)
      }
      // Garbage collection removes unreachable objects by their age, so the copy needs the same modification time.
      await copy.utimes(file.mtime, file.mtime)
      await copy.sync()
    } finally {
      await copy.close()
    }
  } finally {
    await source.close()
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error
}

/** A checksum of all refs and HEAD: equal for two repositories with the same refs. */
export async function refsChecksum(repo: Repo): Promise<string> {
  const format = option('--format', '%(objectname) %(objecttype) %(refname)')
  const { stdout } = await run(repo, 'repository.refs_checksum', git`for-each-ref ${format}`, {
    maxBytes: 256 * 1024 * 1024,
  })
  const head = await open(path.join(repo.gitDir, 'HEAD'), 'r')
  try {
    const hash = createHash('sha256').update(stdout)
    return hash
      .update('\0')
      .update(await head.readFile())
      .digest('hex')
  } finally {
    await head.close()
  }
}

/** The object ids of all refs, for the option `known` of a later `checkConnected`. */
export async function refTips(repo: Repo): Promise<string[]> {
  const format = option('--format', '%(objectname)')
  const { stdout } = await run(repo, 'repository.tips', git`for-each-ref ${format}`, {
    maxBytes: 256 * 1024 * 1024,
  })
  return [...new Set(stdout.toString('utf8').split('\n').filter(Boolean))]
}

/**
 * Reads all objects that are reachable from refs, but not from `known`. Throws GitError when an object is missing or
 * unreadable.
 */
export async function checkConnected(
  repo: Repo,
  { known = [], signal }: { readonly known?: readonly string[]; readonly signal?: AbortSignal } = {},
): Promise<void> {
  await run(repo, 'repository.check_connected', git`rev-list --objects --quiet --all --stdin`, {
    input: known.map((id) => `^${id}\n`).join(''),
    timeoutMs: 6 * 3_600_000,
    // With the commit graph, git would not read the commits themselves.
    config: [['core.commitGraph', 'false']],
    signal,
  })
}
