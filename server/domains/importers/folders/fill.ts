import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join, dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'

import { dataPaths } from '../../../config.ts'
import type { Ctx } from '../../../ctx.ts'
import { createCommitOfTree } from '../../../git/write/commit.ts'
import { isBranchName } from '../../../git/names.ts'
import { listRefs, updateRefs } from '../../../git/write/refs.ts'
import { createBareRepository } from '../../../git/upkeep/repository.ts'
import { fetchFolder, writeFolderTree } from '../../../git/upkeep/import-folder.ts'
import type { Repo } from '../../../git/types.ts'
import { GitError } from '../../../git/errors.ts'
import { job } from '../../../jobs/job.ts'
import { errorCode } from '../../../lib/files/error-code.ts'
import { tarEntries, TarProblem, type TarEntry } from '../../../lib/archive/tar-reader.ts'
import {
  archivePath,
  cloneIntoProject,
  ImportFailure,
  runOf,
  storeProgress,
  type Origin,
} from '../../import_export/index.ts'
import { projectById } from '../../projects/index.ts'
import { userById } from '../../users/index.ts'

/** The content of a folder. */
export type FolderKind = 'repository' | 'bare' | 'files'

const MAX_FILES = 1_000_000
const MAX_PATH = 1024
const NOT_A_FOLDER = 'The upload is not a folder.'

/**
 * Paths of the imported files of a repository. Configuration, hooks and references to other folders are not imported.
 */
const REPOSITORY_FILE =
  /^(HEAD|packed-refs|refs\/(heads|tags)\/.+|objects\/[0-9a-f]{2}\/[0-9a-f]{38}|objects\/pack\/pack-[0-9a-f]{40}\.(pack|idx))$/

/**
 * Unpacks the tar file of a folder: objects and refs of a repository, or the files of any other folder. Rejects links,
 * devices and paths outside the folder. The client sends `kind`. `targetFolder` must be empty. Throws ImportFailure.
 */
async function unpackFolder(
  file: string,
  targetFolder: string,
  kind: FolderKind,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (files: number) => void },
): Promise<number> {
  let files = 0
  try {
    for await (const entry of tarEntries(createReadStream(file, { signal }))) {
      const entryPath = pathOf(entry)
      const target = entryPath === null ? null : targetOf(entryPath, kind)
      if (target === null) continue
      if (++files > MAX_FILES) throw new ImportFailure('The folder has too many files.')
      const path = join(targetFolder, target)
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      await pipeline(entry.content(), createWriteStream(path, { flags: 'wx', mode: 0o600 }), { signal })
      onProgress(files)
    }
  } catch (error) {
    signal.throwIfAborted()
    throw problemOf(error)
  }
  return files
}

function problemOf(error: unknown): unknown {
  if (error instanceof TarProblem)
    return new ImportFailure(error.reason === 'empty' ? 'The folder is empty.' : NOT_A_FOLDER)
  const code = errorCode(error)
  if (code === 'ENOSPC' || code === 'EDQUOT') return new ImportFailure('There is no space left on the disk.')
  if (['EEXIST', 'EISDIR', 'ENOTDIR'].includes(code))
    return new ImportFailure('The folder has two files with the same name.')
  return code === 'ENAMETOOLONG' ? new ImportFailure('The folder has a name that is too long.') : error
}

/**
 * The path of a file in the folder; null for folders. Throws ImportFailure for other entries and for paths outside the
 * folder.
 */
function pathOf({ name, kind }: TarEntry): string | null {
  if (kind === 'folder') return null
  if (kind !== 'file') throw new ImportFailure('The folder has links or devices, which are not imported.')
  const parts = name.split('/').filter((part) => part !== '.')
  const isInvalid = parts.some((part) => part === '' || part === '..' || /[\0\\]/.test(part))
  if (parts.length === 0 || isInvalid || name.length > MAX_PATH)
    throw new ImportFailure('The folder has an invalid path.')
  return parts.join('/')
}

/** The path of an imported file inside the target folder; null for a file that is not imported. */
function targetOf(path: string, kind: FolderKind): string | null {
  if (kind === 'files') return path.split('/').some(isGitFolder) ? null : path
  const innerFolder = kind === 'bare' ? path : path.startsWith('.git/') ? path.slice('.git/'.length) : null
  return innerFolder !== null && REPOSITORY_FILE.test(innerFolder) ? innerFolder : null
}

/** Whether a name is `.git` or a name that some file systems treat as the same. */
const isGitFolder = (name: string): boolean =>
  /^(\.git|git~\d+)[. ]*$/i.test(name.normalize('NFKC').replace(/[\u200b-\u200f\ufeff]/g, ''))

/** The maximum number of retries. Only a stop of the instance causes one. */
const MAX_RETRIES = 10

/** Imports an uploaded folder into a project. A failure becomes the status of the import. */
export const importFolderJob = job(
  'folder_imports.take',
  { args: { project_id: z.number() }, retries: MAX_RETRIES },
  (ctx, { project_id }) => importUpload(ctx, project_id),
)

export const jobs = [importFolderJob]

const FIRST_COMMIT = 'Initial commit'
const NO_REPOSITORY = 'The repository in the folder is damaged, or is not complete.'

/** Imports an uploaded folder into a project. After an interruption, it starts from the beginning. */
async function importUpload(ctx: Ctx, projectId: number): Promise<void> {
  const { tmp } = dataPaths(ctx.config.dataDir)
  await mkdir(tmp, { recursive: true })
  const tempFolder = await mkdtemp(join(tmp, 'folder-'))
  try {
    await cloneIntoProject(ctx, projectId, (repo, signal) =>
      prepareOrigin(ctx, projectId, tempFolder, repo, signal),
    )
  } finally {
    await rm(tempFolder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Prepares a temporary repository with the content of the folder, from which the project is filled. */
async function prepareOrigin(
  ctx: Ctx,
  id: number,
  tempFolder: string,
  repo: Repo,
  signal: AbortSignal,
): Promise<Origin> {
  const run = runOf(ctx.db, id)
  const project = projectById(ctx.db, id)
  if (!run?.file || !project) throw new ImportFailure('The folder was not uploaded.')
  const { kind, at } = JSON.parse(run.source) as { kind: FolderKind; at?: string }
  const uploadFolder = join(tempFolder, 'sent')
  await mkdir(uploadFolder)
  const onProgress = (done: number) => storeProgress(ctx, id, { step: 'unpack', done })
  const files = await unpackFolder(archivePath(ctx.config, run.file), uploadFolder, kind, {
    signal,
    onProgress,
  })
  if (files === 0) throw new ImportFailure('The folder is empty.')
  storeProgress(ctx, id, { step: 'repository' })
  const tempRepo: Repo = { ...repo, gitDir: join(tempFolder, 'made.git'), key: `${repo.key}:folder` }
  await createBareRepository(tempRepo, { defaultBranch: project.default_branch })
  const head =
    kind === 'files'
      ? await commitFiles(ctx, { tempRepo, uploadFolder, at: at ?? ctx.now }, project, signal)
      : await importRepository(tempRepo, uploadFolder, signal)
  return { source: { path: tempRepo.gitDir }, head }
}

/** Commits the files as the first commit, by the user who uploaded them. */
async function commitFiles(
  ctx: Ctx,
  {
    tempRepo,
    uploadFolder,
    at,
  }: { readonly tempRepo: Repo; readonly uploadFolder: string; readonly at: string },
  project: { readonly default_branch: string; readonly creator_id: number | null },
  signal: AbortSignal,
): Promise<string> {
  const tree = await writeFolderTree(tempRepo, uploadFolder, { signal })
  if (tree === null) throw new ImportFailure('The folder contains only files that its .gitignore excludes.')
  const user = project.creator_id === null ? undefined : userById(ctx.db, project.creator_id)
  const author = {
    name: user?.name ?? 'Deskforge',
    email: user ? user.commit_email || user.email : 'deskforge@localhost',
    date: new Date(at),
  }
  const commit = await createCommitOfTree(tempRepo, tree, {
    parents: [],
    message: FIRST_COMMIT,
    author,
    committer: author,
  })
  await updateRefs(tempRepo, [{ ref: `refs/heads/${project.default_branch}`, old: null, new: commit }])
  return project.default_branch
}

/**
 * Fetches branches and tags with their history, and checks each object. The checked-out branch becomes the default
 * branch.
 */
async function importRepository(
  tempRepo: Repo,
  uploadFolder: string,
  signal: AbortSignal,
): Promise<string | null> {
  await mkdir(join(uploadFolder, 'refs'), { recursive: true })
  await mkdir(join(uploadFolder, 'objects'), { recursive: true })
  const head = await headOf(join(uploadFolder, 'HEAD'))
  try {
    await fetchFolder(tempRepo, uploadFolder, { signal })
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof GitError && error.reason === 'exit') throw new ImportFailure(NO_REPOSITORY)
    throw error
  }
  if ((await listRefs(tempRepo, 'refs/')).length === 0)
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
