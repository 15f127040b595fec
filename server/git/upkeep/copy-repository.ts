import { createHash } from 'node:crypto'
import { mkdir, open, readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { syncFolder } from '../../lib/files/durable-file.ts'
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
  /** Ends the copying between two pieces; what is copied by then stays. */
  readonly signal?: AbortSignal
  /** Told of bytes as they are written. */
  readonly onBytes?: (bytes: number) => void
}

/** Git's own unfinished work: locks of refs, packs on their way in, the objects of pushes that nobody let pass yet. */
const UNFINISHED = /(^|\/)(tmp_[^/]+|incoming-[^/]+)(\/|$)|\.lock$/
/** Files whose name says what is in them: one of the same size is the same. */
const NAMED_BY_CONTENT = /^objects\/([0-9a-f]{2}\/[0-9a-f]{38,}|pack\/pack-[0-9a-f]{40,}\.(pack|idx|rev))$/
/** Without these folders git takes nothing for a repository. */
const NEEDED = ['objects', 'refs', 'refs/heads', 'refs/tags']
const PIECE = 1024 * 1024

/** Bytes of all files that make up the repository in a folder; 0 where there is none. */
export async function folderSize(folder: string): Promise<number> {
  const files = await filesOf(folder)
  return files.reduce((sum, { bytes }) => sum + bytes, 0)
}

/**
 * Makes the folder `into` like the repository in `from`, file by file, with everything that lies there, reachable or not.
 * Done once more it takes over what has changed since, and removes what is gone. A copy that is made while somebody writes
 * is whole only after another round while nobody does. Everything is on the disk when it resolves.
 */
export async function copyFolder(from: string, into: string, options: CopyOptions = {}): Promise<void> {
  const [wanted, there] = await Promise.all([filesOf(from), filesOf(into)])
  const known = new Map(there.map((file) => [file.name, file]))
  const folders = new Set(NEEDED)
  for (const file of wanted) {
    options.signal?.throwIfAborted()
    const before = known.get(file.name)
    known.delete(file.name)
    if (before?.bytes === file.bytes && NAMED_BY_CONTENT.test(file.name)) continue
    folders.add(path.posix.dirname(file.name))
    await mkdir(path.join(into, path.dirname(file.name)), { recursive: true })
    await copyFile(file, { from, into }, options)
  }
  for (const name of known.keys()) await rm(path.join(into, name), { force: true })
  for (const name of folders) await mkdir(path.join(into, name), { recursive: true })
  for (const name of [...folders, '.']) await syncFolder(path.join(into, name))
}

/** The files of a repository that git has finished, with those that others need first. */
async function filesOf(folder: string): Promise<File[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(ignoreMissing)
  const files: File[] = []
  for (const entry of entries ?? []) {
    const place = path.join(entry.parentPath, entry.name)
    const name = path.relative(folder, place).replaceAll(path.sep, '/')
    if (!entry.isFile() || UNFINISHED.test(name)) continue
    const info = await statOf(place)
    // Packed, deleted or replaced since the folder was read.
    if (info) files.push({ name, bytes: info.size, mode: info.mode & 0o777, mtime: info.mtime })
  }
  return files
}

async function statOf(place: string) {
  const handle = await open(place, 'r').catch(ignoreMissing)
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
      // What nothing leads to is removed by its age.
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

/** What all refs and HEAD lead to, as one checksum: equal for two repositories that say the same. */
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

/** The ids that refs lead to, to be named as known to `checkConnected` later. */
export async function refTips(repo: Repo): Promise<string[]> {
  const format = option('--format', '%(objectname)')
  const { stdout } = await run(repo, 'repository.tips', git`for-each-ref ${format}`, {
    maxBytes: 256 * 1024 * 1024,
  })
  return [...new Set(stdout.toString('utf8').split('\n').filter(Boolean))]
}

/**
 * Walks from all refs through everything they lead to, down to what `known` leads to. Throws GitError when something is
 * missing on the way or cannot be read.
 */
export async function checkConnected(
  repo: Repo,
  { known = [], signal }: { readonly known?: readonly string[]; readonly signal?: AbortSignal } = {},
): Promise<void> {
  await run(repo, 'repository.check_connected', git`rev-list --objects --quiet --all --stdin`, {
    input: known.map((id) => `^${id}\n`).join(''),
    timeoutMs: 6 * 3_600_000,
    // The graph names commits without looking at them.
    config: [['core.commitGraph', 'false']],
    signal,
  })
}
