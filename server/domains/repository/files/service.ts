import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { Ctx } from '../../../ctx.ts'
import { readBlame } from '../../../git/read/blame.ts'
import { blobSize, openBlob, readBlob, type Blob } from '../../../git/read/blob.ts'
import { readCommits, type Commit } from '../../../git/read/commits.ts'
import { lastCommitsIn } from '../../../git/read/last-commits.ts'
import { lastCommitFor } from '../../../git/read/log.ts'
import { checkPath, checkFolder, isObjectId } from '../../../git/names.ts'
import { resolveCommit, branchTip } from '../../../git/read/revisions.ts'
import { findEntry, listTree, type TreeEntry, type TreeListing } from '../../../git/read/tree.ts'
import type { Repo } from '../../../git/types.ts'
import type { Paging } from '../../../db/rows.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import { type Project, inRepository } from '../../projects/index.ts'
import type { CommitRow } from '../commits/entity.ts'
import { getCommit } from '../commits/service.ts'
import { refusedPushError, commitFiles } from '../commits/write.ts'
import { largeFileOf, openLargeFile } from '../service.ts'
import type { FileInfo, BlameRow } from './entity.ts'
import { countLargeFile } from './rates.ts'

/** Returns the path unchanged. Throws 400 with the contract's message for an invalid path. */
export function filePath(path: string): string {
  try {
    return checkPath(path)
  } catch {
    throw fail('parameter', 'file_path should be a valid file path')
  }
}

/** A file at a ref. */
interface ResolvedFile {
  readonly commit: string
  readonly blob: string
  readonly mode: string
  /** The id of the last commit that changed the file. */
  readonly last: Promise<string | undefined>
}

async function resolveFile(repo: Repo, ref: string, path: string): Promise<ResolvedFile> {
  const commit = await resolveCommit(repo, ref)
  if (commit === null) throw notFound('Commit')
  // The walk through the history takes longest, so the other reads run in the meantime.
  const search = new AbortController()
  const last = lastCommitFor(repo, commit, path, { signal: search.signal }).then(
    (lastCommit) => lastCommit?.id,
  )
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

/** Returns the path of the file and the commit of the ref. Throws 404 for an unknown ref or file. */
async function findFile(
  repo: Repo,
  request: { file_path: string; ref: string },
): Promise<{ path: string; commit: string }> {
  const path = filePath(request.file_path)
  const commit = await resolveCommit(repo, request.ref)
  if (commit === null) throw notFound('Commit')
  if ((await findEntry(repo, commit, path))?.type !== 'blob') throw notFound('File')
  return { path, commit }
}

/** Returns the metadata of the file at a ref. */
export function getFileInfo(
  ctx: Ctx,
  project: Project,
  request: { file_path: string; ref: string },
): Promise<FileInfo> {
  const path = filePath(request.file_path)
  return inRepository(ctx, project, async (repo) => {
    const file = await resolveFile(repo, request.ref, path)
    const [size, last, content_sha256] = await Promise.all([
      blobSize(repo, file.blob),
      file.last,
      cachedDigest(repo, file.blob, () => digestOf(repo, file.blob)),
    ])
    return { ...infoOf(request, file, last), size: size ?? 0, content_sha256 }
  })
}

/** Returns the file at a ref with its content. */
export function getFile(
  ctx: Ctx,
  project: Project,
  request: { file_path: string; ref: string },
): Promise<FileInfo & { content: Buffer }> {
  const path = filePath(request.file_path)
  return inRepository(ctx, project, async (repo) => {
    const file = await resolveFile(repo, request.ref, path)
    countLargeFile(ctx, project, { blob: file.blob, size: (await blobSize(repo, file.blob)) ?? 0 })
    const [blob, last] = await Promise.all([readBlob(repo, file.blob), file.last])
    if (blob === null) throw notFound('File')
    const sha256 = await cachedDigest(repo, blob.id, () => digest(blob.content))
    return {
      ...infoOf(request, file, last),
      size: blob.size,
      content_sha256: sha256,
      content: blob.content,
    }
  })
}

/**
 * Returns the file at a ref as a stream, of any size. With `lfs`, the stream is the LFS object instead of its pointer, but
 * the metadata is that of the pointer.
 */
export function openFile(
  ctx: Ctx,
  project: Project,
  request: { file_path: string; ref: string; lfs?: boolean | undefined },
  signal: AbortSignal,
) {
  const path = filePath(request.file_path)
  return inRepository(ctx, project, async (repo) => {
    const file = await resolveFile(repo, request.ref, path)
    countLargeFile(ctx, project, { blob: file.blob, size: (await blobSize(repo, file.blob)) ?? 0 })
    const [blob, last, sha256] = await Promise.all([
      openBlob(repo, file.blob, { signal }),
      file.last,
      cachedDigest(repo, file.blob, () => digestOf(repo, file.blob)),
    ])
    if (blob === null) throw notFound('File')
    const info: FileInfo = { ...infoOf(request, file, last), size: blob.size, content_sha256: sha256 }
    const large = request.lfs ? await largeFileOf(ctx, project, repo, blob) : undefined
    if (!large) return { info, stream: blob.stream, length: blob.size }
    blob.stream.destroy()
    countLargeFile(ctx, project, { blob: large.oid, size: large.size })
    return { info, stream: openLargeFile(ctx, large, signal), length: large.size }
  })
}

function infoOf(request: { file_path: string; ref: string }, file: ResolvedFile, last: string | undefined) {
  return {
    file_path: request.file_path,
    ref: request.ref,
    blob_id: file.blob,
    commit_id: file.commit,
    last_commit_id: last ?? file.commit,
    execute_filemode: file.mode === '100755',
  }
}

/** Returns the cached digest of a blob, or computes and caches it. */
async function cachedDigest(repo: Repo, blob: string, compute: () => Promise<string>): Promise<string> {
  const cached = repo.git.cache.get<{ hex: string }>(repo, 'sha256', blob)
  if (cached !== undefined) return cached.hex
  const hex = await compute()
  return repo.git.cache.set(repo, 'sha256', blob, { content: { hex }, bytes: 250 }).hex
}

/** The number of bytes that are hashed before other requests run. */
const HASH_CHUNK_BYTES = 4 * 1024 * 1024

async function digest(content: Buffer): Promise<string> {
  const hash = createHash('sha256')
  for (let start = 0; start < content.length; start += HASH_CHUNK_BYTES) {
    hash.update(content.subarray(start, start + HASH_CHUNK_BYTES))
    if (start > 0) await setImmediate()
  }
  return hash.digest('hex')
}

async function digestOf(repo: Repo, id: string): Promise<string> {
  const blob = await openBlob(repo, id)
  const hash = createHash('sha256')
  for await (const chunk of blob?.stream ?? []) hash.update(chunk as Buffer)
  return hash.digest('hex')
}

/** The file and the range of lines to blame. */
interface BlameQuery {
  readonly file_path: string
  readonly ref: string
  readonly range?: { readonly start: number; readonly end: number } | undefined
}

/** Returns the lines of a file with their commits. */
export function getBlame(
  ctx: Ctx,
  project: Project,
  query: BlameQuery,
  signal: AbortSignal,
): Promise<BlameRow[]> {
  const { range } = query
  if (range && range.start > range.end) {
    throw fail('bad_request', 'range[start] must be less than or equal to range[end]')
  }
  return inRepository(ctx, project, async (repo) => {
    const { path, commit } = await findFile(repo, query)
    const hunks = await readBlame(repo, commit, path, { ...(range ? { range } : {}), signal })
    const ids = [...new Set(hunks.map((hunk) => hunk.commit))]
    const commits = new Map((await readCommits(repo, ids)).map((entry) => [entry.id, entry]))
    return hunks.map((hunk) => {
      const details = commits.get(hunk.commit)
      if (!details) throw notFound('Commit')
      return { commit: details, lines: hunk.lines }
    })
  })
}

/** The folder to list, and the paging. */
interface TreeQuery {
  readonly ref?: string | undefined
  readonly path?: string | undefined
  readonly recursive: boolean
  readonly pagination?: 'legacy' | 'keyset' | 'none' | undefined
  readonly page_token?: string | undefined
}

type Window = Pick<Paging, 'limit' | 'offset' | 'per_page'>

interface TreePage {
  readonly rows: readonly TreeEntry[]
  readonly total?: number | undefined
  readonly next?: Readonly<Record<string, string>> | undefined
  readonly whole?: boolean | undefined
}

/** Lists the entries of a folder, folders first. */
export function getTree(ctx: Ctx, project: Project, query: TreeQuery, window: Window): Promise<TreePage> {
  return inRepository(ctx, project, async (repo) => {
    const commit = await resolveCommit(repo, query.ref || `refs/heads/${project.default_branch}`)
    if (commit === null) throw notFound('Tree')
    // A single folder is paged like other lists.
    const isComplete = query.pagination === 'none' && query.recursive
    const all = query.pagination === 'keyset' || isComplete
    const listing = await listTree(repo, commit, {
      path: checkFolder(query.path ?? ''),
      recursive: query.recursive,
      order: 'trees_first',
      ...(all ? {} : { skip: window.offset, limit: window.limit }),
    })
    if (listing === null) throw notFound('invalid revision or path')
    if (query.pagination === 'keyset') return keysetPage(listing, query, window.per_page)
    if (isComplete) return { rows: listing.entries, whole: true }
    return { rows: listing.entries, total: listing.total }
  })
}

/** An entry of a folder with the last commit that changed it. */
export interface EntryCommit {
  readonly name: string
  readonly commit: Commit
}

/** Returns the last commit of each entry of a folder, without entries for which the search takes too long. */
export function findLastCommits(
  ctx: Ctx,
  project: Project,
  query: { readonly ref?: string | undefined; readonly path?: string | undefined },
  signal: AbortSignal,
): Promise<EntryCommit[]> {
  return inRepository(ctx, project, async (repo) => {
    const commit = await resolveCommit(repo, query.ref || `refs/heads/${project.default_branch}`)
    if (commit === null) throw notFound('Tree')
    const lastCommits = await lastCommitsIn(repo, commit, checkFolder(query.path ?? ''), { signal })
    if (lastCommits === null) throw notFound('invalid revision or path')
    const commits = await readCommits(repo, [...new Set(lastCommits.values())])
    const byId = new Map(commits.map((entry) => [entry.id, entry]))
    return [...lastCommits].flatMap(([name, id]) => {
      const last = byId.get(id)
      return last ? [{ name, commit: last }] : []
    })
  })
}

/**
 * Returns one page of a keyset list. The token is the path of the last entry. Object ids are accepted too, because other
 * servers of this API use them as tokens.
 */
function keysetPage({ entries }: TreeListing, query: TreeQuery, perPage: number): TreePage {
  const start = query.page_token ? positionAfter(entries, query.page_token) : 0
  const rows = entries.slice(start, start + perPage)
  const last = rows.at(-1)
  const hasNext = last !== undefined && start + perPage < entries.length
  return { rows, next: hasNext ? { page_token: tokenOf(last) } : undefined }
}

function tokenOf(entry: TreeEntry): string {
  return `p${Buffer.from(entry.path).toString('base64url')}`
}

function positionAfter(entries: readonly TreeEntry[], token: string): number {
  const path = token.startsWith('p') ? Buffer.from(token.slice(1), 'base64url').toString() : null
  const index = entries.findIndex((entry) => (path === null ? entry.id === token : entry.path === path))
  if (index < 0) throw notFound('Tree')
  return index + 1
}

/** Returns a blob with its content. */
export function getBlob(ctx: Ctx, project: Project, id: string): Promise<Blob> {
  return inRepository(ctx, project, async (repo) => {
    const blob = await readBlob(repo, id)
    if (blob === null) throw notFound('Blob')
    return blob
  })
}

/** Returns a blob of any size as a stream. */
export function streamBlob(ctx: Ctx, project: Project, id: string, signal: AbortSignal) {
  return inRepository(ctx, project, async (repo) => {
    const blob = await openBlob(repo, id, { signal })
    if (blob === null) throw notFound('Blob')
    return blob
  })
}

/** A submodule and its new commit. */
interface SubmoduleUpdate {
  /** The path of the submodule. */
  readonly submodule: string
  readonly branch: string
  readonly commit_sha: string
  readonly commit_message?: string | undefined
}

/** Points a submodule to another commit, with a new commit on a branch. */
export async function updateSubmodule(
  ctx: Ctx,
  project: Project,
  update: SubmoduleUpdate,
): Promise<CommitRow> {
  const { branch, commit_sha } = update
  const path = filePath(update.submodule)
  if (!isObjectId(commit_sha)) throw fail('bad_request', 'Invalid commit SHA')
  await inRepository(ctx, project, async (repo) => {
    const tip = await branchTip(repo, branch)
    if (tip === null) throw notFound('Branch')
    const entry = await findEntry(repo, tip, path)
    if (entry?.type !== 'commit') throw fail('bad_request', 'Invalid submodule path')
    if (entry.id === commit_sha)
      throw fail('bad_request', `The submodule ${path} is already at ${commit_sha}`)
  })
  const commit_message = update.commit_message || `Update submodule ${path} with oid ${commit_sha}`
  const actions = [{ action: 'submodule', file_path: path, commit_id: commit_sha } as const]
  const created = await commitFiles(ctx, project, { branch, commit_message, actions }, refusedPushError)
  return getCommit(ctx, project, created.id, true)
}
