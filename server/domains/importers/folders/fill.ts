import { createReadStream } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { dataPaths } from '../../../config.ts'
import type { Ctx } from '../../../ctx.ts'
import { createCommitOfTree } from '../../../git/write/commit.ts'
import { isBranchName } from '../../../git/names.ts'
import { listRefs, updateRefs } from '../../../git/write/refs.ts'
import { createBareRepository } from '../../../git/upkeep/repository.ts'
import { fetchFolder, writeFolderTree } from '../../../git/upkeep/import-folder.ts'
import type { Repo } from '../../../git/types.ts'
import { GitError } from '../../../git/errors.ts'
import {
  archivePath,
  fillProject,
  ImportFailure,
  runOf,
  storeProgress,
  type Origin,
} from '../../import_export/index.ts'
import { projectById } from '../../projects/index.ts'
import { userById } from '../../users/index.ts'
import { unpackFolder, type FolderKind } from './unpack.ts'

const FIRST_COMMIT = 'Initial commit'
const NO_REPOSITORY = 'The repository in the folder is damaged, or is not complete.'

/** Fills a project from an uploaded folder. After an interruption it starts again. */
export async function fillFromFolder(ctx: Ctx, projectId: number): Promise<void> {
  const { tmp } = dataPaths(ctx.config.dataDir)
  await mkdir(tmp, { recursive: true })
  const work = await mkdtemp(join(tmp, 'folder-'))
  try {
    await fillProject(ctx, projectId, (repo, signal) => originOf(ctx, projectId, work, repo, signal))
  } finally {
    await rm(work, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function originOf(
  ctx: Ctx,
  id: number,
  work: string,
  repo: Repo,
  signal: AbortSignal,
): Promise<Origin> {
  const run = runOf(ctx.db, id)
  const project = projectById(ctx.db, id)
  if (!run?.file || !project) throw new ImportFailure('The folder has not arrived.')
  const { kind } = JSON.parse(run.source) as { kind: FolderKind }
  const sent = join(work, 'sent')
  await mkdir(sent)
  const onProgress = (done: number) => storeProgress(ctx, id, { step: 'unpack', done })
  const files = await unpackFolder(archivePath(ctx.config, run.file), sent, kind, { signal, onProgress })
  if (files === 0) throw new ImportFailure('The folder is empty.')
  storeProgress(ctx, id, { step: 'repository' })
  const made: Repo = { ...repo, gitDir: join(work, 'made.git'), key: `${repo.key}:folder` }
  await createBareRepository(made, { defaultBranch: project.default_branch })
  const head =
    kind === 'files'
      ? await commitFiles(ctx, made, sent, project, signal)
      : await takeRepository(made, sent, signal)
  return { source: { path: made.gitDir }, head }
}

/** Commits the files as a first commit of the user who uploaded them. */
async function commitFiles(
  ctx: Ctx,
  made: Repo,
  folder: string,
  project: { readonly default_branch: string; readonly creator_id: number | null },
  signal: AbortSignal,
): Promise<string> {
  const tree = await writeFolderTree(made, folder, { signal })
  if (tree === null) throw new ImportFailure('The folder has nothing but what its .gitignore names.')
  const user = project.creator_id === null ? undefined : userById(ctx.db, project.creator_id)
  const author = {
    name: user?.name ?? 'Deskforge',
    email: user ? user.commit_email || user.email : 'deskforge@localhost',
    date: new Date(ctx.now),
  }
  const commit = await createCommitOfTree(made, tree, {
    parents: [],
    message: FIRST_COMMIT,
    author,
    committer: author,
  })
  await updateRefs(made, [{ ref: `refs/heads/${project.default_branch}`, old: null, new: commit }])
  return project.default_branch
}

/** Fetches branches and tags with their history, and checks each object. The checked-out branch becomes the default branch. */
async function takeRepository(made: Repo, sent: string, signal: AbortSignal): Promise<string | null> {
  await mkdir(join(sent, 'refs'), { recursive: true })
  await mkdir(join(sent, 'objects'), { recursive: true })
  const head = await headOf(join(sent, 'HEAD'))
  try {
    await fetchFolder(made, sent, { signal })
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof GitError && error.reason === 'exit') throw new ImportFailure(NO_REPOSITORY)
    throw error
  }
  if ((await listRefs(made, 'refs/')).length === 0)
    throw new ImportFailure('The repository in the folder has no commits.')
  return head
}

const MAX_HEAD_BYTES = 4096

async function headOf(file: string): Promise<string | null> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of createReadStream(file, { end: MAX_HEAD_BYTES })) chunks.push(chunk as Buffer)
  } catch {
    throw new ImportFailure(NO_REPOSITORY)
  }
  const branch = /^ref: refs\/heads\/(.+)\n?$/.exec(Buffer.concat(chunks).toString('utf8'))?.[1]
  return branch !== undefined && isBranchName(branch) ? branch : null
}
