import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'

import type { Ctx } from '../../../ctx.ts'
import { blobSize, openBlob, readBlob } from '../../../git/read/blob.ts'
import { lastCommitFor } from '../../../git/read/log.ts'
import { checkPath } from '../../../git/names.ts'
import { resolveCommit } from '../../../git/read/revisions.ts'
import { findEntry } from '../../../git/read/tree.ts'
import type { Repo } from '../../../git/types.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import type { Project } from '../../projects/index.ts'
import { largeFileOf, openLargeFile } from '../service.ts'
import { inRepository } from '../../projects/index.ts'
import type { FileInfo } from './entity.ts'
import { countLargeFile } from './rates.ts'

/** Returns the path unchanged. Throws 400 with the contract's message for a path that leads out of the repository. */
export function filePath(path: string): string {
  try {
    return checkPath(path)
  } catch {
    throw fail('parameter', 'file_path should be a valid file path')
  }
}

interface Found {
  readonly commit: string
  readonly blob: string
  readonly mode: string
  /** The last commit that changed the file, as a promise. */
  readonly last: Promise<string | undefined>
}

async function find(repo: Repo, ref: string, path: string): Promise<Found> {
  const commit = await resolveCommit(repo, ref)
  if (commit === null) throw notFound('Commit')
  // The walk through the history takes longest, so everything else runs meanwhile.
  const search = new AbortController()
  const last = lastCommitFor(repo, commit, path, { signal: search.signal }).then((found) => found?.id)
  last.catch(() => {})
  try {
    const entry = await findEntry(repo, commit, path)
    if (entry === null || entry.type !== 'blob') throw notFound('File')
    return { commit, blob: entry.id, mode: entry.mode, last }
  } catch (error) {
    search.abort(error)
    throw error
  }
}

/** Returns the file's path and the commit of the ref. Throws 404 for an unknown ref or file. */
export async function findFile(
  repo: Repo,
  given: { file_path: string; ref: string },
): Promise<{ path: string; commit: string }> {
  const path = filePath(given.file_path)
  const commit = await resolveCommit(repo, given.ref)
  if (commit === null) throw notFound('Commit')
  if ((await findEntry(repo, commit, path))?.type !== 'blob') throw notFound('File')
  return { path, commit }
}

/** Returns the metadata of the file at a ref. */
export function getFileInfo(
  ctx: Ctx,
  project: Project,
  given: { file_path: string; ref: string },
): Promise<FileInfo> {
  const path = filePath(given.file_path)
  return inRepository(ctx, project, async (repo) => {
    const found = await find(repo, given.ref, path)
    const [size, last, content_sha256] = await Promise.all([
      blobSize(repo, found.blob),
      found.last,
      remembered(repo, found.blob, () => digestOf(repo, found.blob)),
    ])
    return { ...infoOf(given, found, last), size: size ?? 0, content_sha256 }
  })
}

/** Returns the file at a ref with its content. */
export function getFile(
  ctx: Ctx,
  project: Project,
  given: { file_path: string; ref: string },
): Promise<FileInfo & { content: Buffer }> {
  const path = filePath(given.file_path)
  return inRepository(ctx, project, async (repo) => {
    const found = await find(repo, given.ref, path)
    countLargeFile(ctx, project, { blob: found.blob, size: (await blobSize(repo, found.blob)) ?? 0 })
    const [blob, last] = await Promise.all([readBlob(repo, found.blob), found.last])
    if (blob === null) throw notFound('File')
    const sha256 = await remembered(repo, blob.id, () => digest(blob.content))
    return {
      ...infoOf(given, found, last),
      size: blob.size,
      content_sha256: sha256,
      content: blob.content,
    }
  })
}

/**
 * Returns the file at a ref as a stream, of any size. With `lfs` the stream is the LFS object instead of its
 * pointer; the metadata is still that of the blob.
 */
export function openFile(
  ctx: Ctx,
  project: Project,
  given: { file_path: string; ref: string; lfs?: boolean | undefined },
  signal: AbortSignal,
) {
  const path = filePath(given.file_path)
  return inRepository(ctx, project, async (repo) => {
    const found = await find(repo, given.ref, path)
    countLargeFile(ctx, project, { blob: found.blob, size: (await blobSize(repo, found.blob)) ?? 0 })
    const [blob, last, sha256] = await Promise.all([
      openBlob(repo, found.blob, { signal }),
      found.last,
      remembered(repo, found.blob, () => digestOf(repo, found.blob)),
    ])
    if (blob === null) throw notFound('File')
    const info: FileInfo = { ...infoOf(given, found, last), size: blob.size, content_sha256: sha256 }
    const large = given.lfs ? await largeFileOf(ctx, project, repo, blob) : undefined
    if (!large) return { info, stream: blob.stream, length: blob.size }
    blob.stream.destroy()
    countLargeFile(ctx, project, { blob: large.oid, size: large.size })
    return { info, stream: openLargeFile(ctx, large, signal), length: large.size }
  })
}

function infoOf(given: { file_path: string; ref: string }, found: Found, last: string | undefined) {
  return {
    file_path: given.file_path,
    ref: given.ref,
    blob_id: found.blob,
    commit_id: found.commit,
    last_commit_id: last ?? found.commit,
    execute_filemode: found.mode === '100755',
  }
}

/** A blob's content never changes, so its digest is computed once. */
async function remembered(repo: Repo, blob: string, compute: () => Promise<string>): Promise<string> {
  const known = repo.git.cache.get<{ hex: string }>(repo, 'sha256', blob)
  if (known !== undefined) return known.hex
  const hex = await compute()
  return repo.git.cache.set(repo, 'sha256', blob, { content: { hex }, bytes: 250 }).hex
}

const AT_ONCE = 4 * 1024 * 1024

async function digest(content: Buffer): Promise<string> {
  const hash = createHash('sha256')
  for (let at = 0; at < content.length; at += AT_ONCE) {
    hash.update(content.subarray(at, at + AT_ONCE))
    // A large file must not block other requests.
    if (at > 0) await setImmediate()
  }
  return hash.digest('hex')
}

async function digestOf(repo: Repo, id: string): Promise<string> {
  const blob = await openBlob(repo, id)
  const hash = createHash('sha256')
  for await (const chunk of blob?.stream ?? []) hash.update(chunk as Buffer)
  return hash.digest('hex')
}
