import { createHash } from 'node:crypto'
import { mkdir, open, rm } from 'node:fs/promises'
import path from 'node:path'
import { syncFolder } from '../../lib/files/durable-file.ts'
import { entriesBelow } from '../../lib/files/entries-below.ts'
import { git, option } from '../args.ts'
import { run } from '../process/run.ts'
import type { Repo } from '../types.ts'

/** One file of a repository, by its path below the repository's folder. */
interface File {
  readonly name: string
  readonly bytes: number
  readonly mode: number
  readonly mtime: Date
}

export interface CopyOptions {
  /** Stops the copy between two pieces. The files copied so far stay. */
  readonly signal?: AbortSignal
  /** Called with the number of bytes after each write. */
  readonly onBytes?: (bytes: number) => void
}

/** Unfinished work of git: locks, packs being received, the objects of pushes that are not permitted yet. */
const UNFINISHED = /(^|\/)(tmp_[^/]+|incoming-[^/]+)(\/|$)|\.lock$/
/** Files that are named by their content: with equal size they are equal. */
const NAMED_BY_CONTENT = /^objects\/([0-9a-f]{2}\/[0-9a-f]{38,}|pack\/pack-[0-9a-f]{40,}\.(pack|idx|rev))$/
/** Without these folders git does not recognize a repository. */
const NEEDED = ['objects', 'refs', 'refs/heads', 'refs/tags']
const PIECE = 1024 * 1024

/** Bytes of all files of the repository in a folder; 0 if there is none. */
export async function folderSize(folder: string): Promise<number> {
  const files = await filesOf(folder)
  return files.reduce((sum, { bytes }) => sum + bytes, 0)
}

/**
 * Makes the folder `into` equal to the repository in `from`, file by file, with unreachable objects too. Another call
 * copies what has changed since and removes deleted files. A copy made during writes is complete only after
 * another call without writes. When it resolves, everything is on the disk.
 */
export async function copyFolder(from: string, into: string, options: CopyOptions = {}): Promise<void> {
  const [wanted, there] = await Promise.all([filesOf(from), filesOf(into)])
  const byName = new Map(there.map((file) => [file.name, file]))
  const folders = new Set(NEEDED)
  for (const file of wanted) {
    options.signal?.throwIfAborted()
    const before = byName.get(file.name)
    byName.delete(file.name)
    if (before?.bytes === file.bytes && NAMED_BY_CONTENT.test(file.name)) continue
    folders.add(path.posix.dirname(file.name))
    await mkdir(path.join(into, path.dirname(file.name)), { recursive: true })
    await copyFile(file, { from, into }, options)
  }
  for (const name of byName.keys()) await rm(path.join(into, name), { force: true })
  for (const name of folders) await mkdir(path.join(into, name), { recursive: true })
  for (const name of [...folders, '.']) await syncFolder(path.join(into, name))
}

/** The finished files of a repository. */
async function filesOf(folder: string): Promise<File[]> {
  const entries = await entriesBelow(folder)
  const files: File[] = []
  for (const entry of entries ?? []) {
    const file = path.join(entry.parentPath, entry.name)
    const name = path.relative(folder, file).replaceAll(path.sep, '/')
    if (!entry.isFile() || UNFINISHED.test(name)) continue
    const info = await statOf(file)
    // Missing when it was packed, deleted or replaced since the folder was read.
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
  file: File,
  { from, into }: { readonly from: string; readonly into: string },
  { signal, onBytes }: CopyOptions,
): Promise<void> {
  const source = await open(path.join(from, file.name), 'r').catch(ignoreMissing)
  if (!source) return
  try {
    const target = path.join(into, file.name)
    // Git keeps its objects read-only, so an older one cannot be written over.
    await rm(target, { force: true })
    const copy = await open(target, 'wx', file.mode)
    try {
      const piece = Buffer.allocUnsafe(Math.min(PIECE, Math.max(1, file.bytes)))
      for (;;) {
        signal?.throwIfAborted()
        const { bytesRead } = await source.read(piece, 0, piece.length)
        if (bytesRead === 0) break
        await copy.writeFile(piece.subarray(0, bytesRead))
        onBytes?.(bytesRead)
      }
      // Garbage collection removes unreachable objects by their age, so the copy keeps the time.
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

/** The object ids of all refs. `checkConnected` takes them later as `known`. */
export async function refTips(repo: Repo): Promise<string[]> {
  const format = option('--format', '%(objectname)')
  const { stdout } = await run(repo, 'repository.tips', git`for-each-ref ${format}`, {
    maxBytes: 256 * 1024 * 1024,
  })
  return [...new Set(stdout.toString('utf8').split('\n').filter(Boolean))]
}

/**
 * Walks all objects that are reachable from refs, but not from `known`. Throws GitError when an object is missing or
 * unreadable.
 */
export async function checkConnected(
  repo: Repo,
  { known = [], signal }: { readonly known?: readonly string[]; readonly signal?: AbortSignal } = {},
): Promise<void> {
  await run(repo, 'repository.check_connected', git`rev-list --objects --quiet --all --stdin`, {
    input: known.map((id) => `^${id}\n`).join(''),
    timeoutMs: 6 * 3_600_000,
    // The commit graph would list commits without reading them.
    config: [['core.commitGraph', 'false']],
    signal,
  })
}
