import { join } from 'node:path'
import { readdir, rm } from 'node:fs/promises'

import type { Ctx } from '../../ctx.ts'
import { openBlob } from '../../git/blob.ts'
import { type CommitAction, createCommit } from '../../git/commit.ts'
import { repoAt } from '../../git/engine.ts'
import { GitActionError, GitInputError } from '../../git/errors.ts'
import { isRevision } from '../../git/names.ts'
import { updateRefs } from '../../git/refs.ts'
import {
  createBareRepository,
  removeRepository,
  repositorySize,
  withWriteLock,
} from '../../git/repository.ts'
import { branchTip, resolveCommit } from '../../git/revisions.ts'
import { findEntry, listTree } from '../../git/tree.ts'
import type { Repo } from '../../git/types.ts'
import { Failure, notFound } from '../../lib/fail.ts'
import { committerOf } from '../repository/index.ts'
import { repositoryPath, storageFolder, storagesOf } from '../storage/index.ts'
import { folderOfProject } from './store.ts'
import { inOrder, type SnippetRow } from './types.ts'

/** Files that a snippet has at most, as the reference implementation of the contract has it. */
export const MAX_FILES = 10

/** The handle of a snippet's repository. */
export function repoOfSnippet(ctx: Pick<Ctx, 'git' | 'config' | 'db'>, row: PlacedSnippet): Repo {
  return repoAt(ctx.git, repositoryPath(ctx, row), row.disk_path)
}

/** What says where the repository of a snippet lies. */
export type PlacedSnippet = Pick<SnippetRow, 'repository_storage' | 'disk_path'>

/** A refusal in the body shape of snippets (spec core 8.1, "nested error"). */
export function snippetProblem(error: string): Failure {
  return new Failure('bad_request', undefined, { body: { message: { error } } })
}

/** What a snippet's row says of its repository. */
export interface Content {
  /** As git sorts them. */
  readonly paths: readonly string[]
  /** What the repository takes on disk. */
  readonly bytes: number
}

/** The content that a commit brings. */
export async function contentOf(repo: Repo, commit: string): Promise<Content> {
  return { paths: await pathsAt(repo, commit), bytes: await repositorySize(repo) }
}

/** Columns of a content; files come in the order that was wanted. */
export function columnsOf({ paths, bytes }: Content, wanted: readonly string[]) {
  return { files: JSON.stringify(inOrder(paths, wanted)), repository_size: bytes }
}

/**
 * Makes one commit of the changes, in a new repository where there is none, and returns what there is now. `announce` is told of
 * the commit before the branch moves. Throws 400 for changes that cannot be made; then nothing is changed.
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
    return await withWriteLock(repo, () => commitTo(ctx, { repo, snippet, announce }, actions))
  } catch (error) {
    const isCallers = error instanceof GitActionError || error instanceof GitInputError
    throw isCallers ? snippetProblem(`Repository Error: ${error.message}`) : error
  }
}

async function commitTo(
  ctx: Ctx,
  {
    repo,
    snippet,
    announce,
  }: { repo: Repo; snippet: SnippetRow; announce: ((commit: string) => void) | undefined },
  actions: readonly CommitAction[],
): Promise<Content> {
  const tip = await branchTip(repo, snippet.default_branch)
  const person = committerOf(ctx)
  const message = tip === null ? 'Initial commit' : 'Update snippet'
  const parents = tip === null ? [] : [tip]
  const commit = await createCommit(repo, tip, actions, {
    parents,
    message,
    author: person,
    committer: person,
  })
  const paths = await pathsAt(repo, commit.id)
  if (paths.length === 0) throw snippetProblem('Snippet files must not be empty')
  if (paths.length > MAX_FILES) throw snippetProblem(`Snippet files can have at most ${MAX_FILES} files`)
  announce?.(commit.id)
  await updateRefs(repo, [{ ref: `refs/heads/${snippet.default_branch}`, old: tip, new: commit.id }])
  return { paths, bytes: await repositorySize(repo) }
}

/** Paths of the files of a commit, in their order; a commit pushed by git may have more than a snippet shows. */
async function pathsAt(repo: Repo, commit: string): Promise<string[]> {
  const listing = await listTree(repo, commit, { recursive: true })
  const files = listing?.entries.filter((entry) => entry.type === 'blob') ?? []
  return files.map((entry) => entry.path)
}

/** A file of a snippet as a stream. Throws `404 File Not Found`. */
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

/** Removes the repository of a deleted snippet. */
export async function removeFromStorage(ctx: Ctx, deleted: PlacedSnippet): Promise<void> {
  await removeRepository(repoOfSnippet(ctx, deleted))
}

/** Removes the repositories of the snippets that went with a project. */
export async function removeOfProject(ctx: Ctx, deleted: { project_id: number }): Promise<void> {
  const folder = folderOfProject(deleted.project_id)
  for (const { name: repository_storage } of storagesOf(ctx)) {
    const place = join(storageFolder(ctx, repository_storage), folder)
    const names = await readdir(place).catch(() => [])
    for (const name of names)
      await removeFromStorage(ctx, { repository_storage, disk_path: `${folder}/${name}` })
    await rm(place, { recursive: true, force: true })
  }
}
