import { Readable } from 'node:stream'
import { git, sha } from '../args.ts'
import { GitError } from '../errors.ts'
import { isObjectId } from '../names.ts'
import { open, run } from '../process/run.ts'
import { findEntry } from './tree.ts'
import type { TreeEntry } from './tree.ts'
import type { Repo } from '../types.ts'

export interface Blob {
  readonly id: string
  /** Bytes. */
  readonly size: number
  readonly content: Buffer
}

/** A larger blob is read by a process of its own, so that it does not delay other reads. */
const LARGE_BYTES = 1024 * 1024
/** The maximum size of cached blobs. Most of them are source files, which are read often. */
const MAX_CACHED_BYTES = 128 * 1024
const DEFAULT_MAX_BYTES = 64 * 1024 * 1024

/** The size of a blob in bytes; null when there is no blob with this id. */
export async function blobSize(repo: Repo, id: string): Promise<number | null> {
  const info = isObjectId(id) ? await repo.git.catFiles.info(repo, id) : null
  return info?.type === 'blob' ? info.size : null
}

/**
 * A whole blob; null when there is none with this id. Throws GitError (`output_limit`) when it is larger than `maxBytes`
 * (default 64 MiB). Use openBlob for large blobs.
 */
export async function readBlob(
  repo: Repo,
  id: string,
  options: { maxBytes?: number } = {},
): Promise<Blob | null> {
  const cached = repo.git.cache.get<Blob>(repo, 'blob', id)
  if (cached !== undefined && cached.size <= (options.maxBytes ?? DEFAULT_MAX_BYTES)) return cached
  const size = await blobSize(repo, id)
  if (size === null) return null
  const args = git`cat-file blob ${sha(id)}`
  if (size > (options.maxBytes ?? DEFAULT_MAX_BYTES)) {
    throw new GitError({ operation: 'blobs.read', args: args.words, reason: 'output_limit' })
  }
  if (size > LARGE_BYTES) {
    const { stdout } = await run(repo, 'blobs.read', args, { maxBytes: size })
    return { id, size, content: stdout }
  }
  const object = await repo.git.catFiles.contents(repo, id)
  if (object === null) return null
  if (size > MAX_CACHED_BYTES) return { id, size, content: object.content }
  // The content may be a small view of a large buffer, so a copy is cached.
  const content = Buffer.from(object.content)
  return repo.git.cache.set(repo, 'blob', id, { content: { id, size, content }, bytes: size + 400 })
}

/** A blob of any size as a stream; null when there is none with this id. Destroying the stream ends the process. */
export async function openBlob(
  repo: Repo,
  id: string,
  options: { signal?: AbortSignal } = {},
): Promise<{ id: string; size: number; stream: Readable } | null> {
  const size = await blobSize(repo, id)
  if (size === null) return null
  if (size > LARGE_BYTES) {
    const runOptions = { pool: 'transfer', signal: options.signal } as const
    const stream = await open(repo, 'blobs.stream', git`cat-file blob ${sha(id)}`, runOptions)
    return { id, size, stream: stream.stdout }
  }
  const blob = await readBlob(repo, id)
  return blob === null
    ? null
    : { id, size, stream: Readable.from(blob.content.length === 0 ? [] : [blob.content]) }
}

/** The file at a path of a commit with its content. Null when there is none, or a folder or submodule. */
export async function readFile(
  repo: Repo,
  commit: string,
  file: string,
  options: { maxBytes?: number } = {},
): Promise<(Blob & { readonly entry: TreeEntry }) | null> {
  const entry = await findEntry(repo, commit, file)
  if (entry === null || entry.type !== 'blob') return null
  const blob = await readBlob(repo, entry.id, options)
  return blob === null ? null : { ...blob, entry }
}
