import { join } from 'node:path'
import { readdir, rm } from 'node:fs/promises'

import type { Ctx } from '../../ctx.ts'
import { openBlob } from '../../git/read/blob.ts'
import { type CommitAction, createCommit } from '../../git/write/commit.ts'
import { repoAt } from '../../git/process/engine.ts'
import { GitActionError, GitInputError } from '../../git/errors.ts'
import { isRevision } from '../../git/names.ts'
import { updateRefs } from '../../git/write/refs.ts'
import {
  createBareRepository,
  removeRepository,
  repositorySize,
  withWriteLock,
} from '../../git/upkeep/repository.ts'
import { branchTip, resolveCommit } from '../../git/read/revisions.ts'
import { findEntry, listTree } from '../../git/read/tree.ts'
import type { Repo } from '../../git/types.ts'
import { Failure, notFound } from '../../lib/fail.ts'
import { committerOf } from '../repository/index.ts'
import { repositoryPath, storageFolder, storagesOf } from '../storage/index.ts'
import { folderOfProject } from './store.ts'
import { inOrder, type SnippetRow } from './types.ts'

/** The maximum number of files of a snippet, as in GitLab. */
export const MAX_FILES = 10

/** The handle of a snippet's repository. */
export function repoOfSnippet(ctx: Pick<Ctx, 'git' | 'config' | 'db'>, row: StoredSnippet): Repo {
  return repoAt(ctx.git, repositoryPath(ctx, row), row.disk_path)
}

/** The location of a snippet's repository. */
export type StoredSnippet = Pick<SnippetRow, 'repository_storage' | 'disk_path'>

/** A refusal in the format of snippets (spec core 8.1, "nested error"). */
export function snippetProblem(error: string): Failure {
  return new Failure('bad_request', undefined, { body: { message: { error } } })
}

/** What the repository of a snippet contains, for the columns of the snippet. */
export interface Content {
  /** Paths of the files, in the order of git. */
  readonly paths: readonly string[]
  /** Size on disk. */
  readonly bytes: number
}

/** The content of a commit. */
export async function contentOf(repo: Repo, commit: string): Promise<Content> {
  return { paths: await pathsAt(repo, commit), bytes: await repositorySize(repo) }
}

/** Returns the columns for a content. `order` comes first in the list of files. */
export function columnsOf({ paths, bytes }: Content, order: readonly string[]) {
  return { files: inOrder(paths, order), repository_size: bytes }
}

/**
 * Commits changes to files, and creates the repository if it is missing. Calls `announce` with the commit before the
 * branch moves. Throws 400 for invalid changes, without changing anything.
 */
export async function commitFiles(
  ctx: Ctx,
  snippet: SnippetRow,
  actions: readonly CommitAction[],
  announce?: (commit: string) => void,
): Promise<Content> {
  const repo = repoOfSnippet(ctx, snippet)
  await createBareRepository(repo, { defaultBranch: snippet.default_branch })
  try {
    return await withWriteLock(repo, () => commitUnderLock(ctx, { repo, snippet, announce }, actions))
  } catch (error) {
    const isInputError = error instanceof GitActionError || error instanceof GitInputError
    throw isInputError ? snippetProblem(`Repository Error: ${error.message}`) : error
  }
}

async function commitUnderLock(
  ctx: Ctx,
  {
    repo,
    snippet,
    announce,
  }: { repo: Repo; snippet: SnippetRow; announce: ((commit: string) => void) | undefined },
  actions: readonly CommitAction[],
): Promise<Content> {
  const tip = await branchTip(repo, snippet.default_branch)
  const identity = committerOf(ctx)
  const message = tip === null ? 'Initial commit' : 'Update snippet'
  const parents = tip === null ? [] : [tip]
  const commit = await createCommit(repo, tip, actions, {
    parents,
    message,
    author: identity,
    committer: identity,
  })
  const paths = await pathsAt(repo, commit.id)
  if (paths.length === 0) throw snippetProblem('Snippet files must not be empty')
  if (paths.length > MAX_FILES) throw snippetProblem(`Snippet files can have at most ${MAX_FILES} files`)
  announce?.(commit.id)
  await updateRefs(repo, [{ ref: `refs/heads/${snippet.default_branch}`, old: tip, new: commit.id }])
  return { paths, bytes: await repositorySize(repo) }
}

/** Paths of the files of a commit, in the order of git. */
async function pathsAt(repo: Repo, commit: string): Promise<string[]> {
  const listing = await listTree(repo, commit, { recursive: true })
  const files = listing?.entries.filter((entry) => entry.type === 'blob') ?? []
  return files.map((entry) => entry.path)
}

/** Opens a file of a snippet as a stream. Throws `404 File Not Found`. */
export async function openFile(
  ctx: Ctx,
  snippet: SnippetRow,
  ref: string,
  path: string,
  signal: AbortSignal,
) {
  const repo = repoOfSnippet(ctx, snippet)
  const commit = isRevision(ref) ? await resolveCommit(repo, ref) : null
  const entry = commit === null ? null : await findEntry(repo, commit, path)
  const blob = entry?.type === 'blob' ? await openBlob(repo, entry.id, { signal }) : null
  if (!blob) throw notFound('File')
  return blob
}

/** Deletes the repository of a deleted snippet. */
export async function removeFromStorage(ctx: Ctx, deleted: StoredSnippet): Promise<void> {
  await removeRepository(repoOfSnippet(ctx, deleted))
}

/** Deletes the repositories of a deleted project's snippets. */
export async function removeOfProject(ctx: Ctx, deleted: { project_id: number }): Promise<void> {
  const folder = folderOfProject(deleted.project_id)
  for (const { name: repository_storage } of storagesOf(ctx)) {
    const path = join(storageFolder(ctx, repository_storage), folder)
    const names = await readdir(path).catch(() => [])
    for (const name of names)
      await removeFromStorage(ctx, { repository_storage, disk_path: `${folder}/${name}` })
    await rm(path, { recursive: true, force: true })
  }
}
