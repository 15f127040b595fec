import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { createCommit } from '../../../git/write/commit.ts'
import { repoAt } from '../../../git/process/engine.ts'
import type { Identity } from '../../../git/write/identity.ts'
import { updateRefs } from '../../../git/write/refs.ts'
import {
  createBareRepository,
  readHead,
  removeRepository,
  withWriteLock,
  writeHead,
} from '../../../git/upkeep/repository.ts'
import { branchRef } from '../../../git/names.ts'
import { branchTip } from '../../../git/read/revisions.ts'
import type { Repo } from '../../../git/types.ts'
import { namespaceById } from '../../namespaces/index.ts'
import { settingsOf } from '../../settings/index.ts'
import { missingStorage, repositoryPath, missingFolderOf, removeAvatar } from '../../storage/index.ts'
import { userById } from '../../users/index.ts'
import { ProjectCreated } from '../events.ts'
import type { Project } from '../types.ts'
import * as protections from '../protections/store.ts'
import * as store from '../store.ts'
import { GitInputError, GitActionError, GitRefError, GitError } from '../../../git/errors.ts'
import { Failure, fail, notFound } from '../../../lib/fail.ts'
import { storageProblem } from '../../../lib/files/storage-problem.ts'

const README = 'README.md'

/** Returns the handle of a project's repository, without any access to the disk. */
export function repoOf(ctx: Pick<Ctx, 'git' | 'config' | 'db'>, project: RepositoryLocation): Repo {
  return repoAt(ctx.git, repositoryPath(ctx, project), project.disk_path)
}

/** The columns that locate a project's repository. */
export type RepositoryLocation = Pick<Project, 'repository_storage' | 'disk_path'>

/** The first content of a repository. */
export interface FirstContent {
  readonly initialize_with_readme: boolean
  /** The creator of the project, who is the author of the first commit. */
  readonly actor_id: number | null
}

/** The columns of a project for the first content of its repository. */
export type RepositoryProject = Pick<Project, 'name' | 'default_branch'> &
  Partial<Pick<Project, 'description'>>

/**
 * Creates a repository with its first content, or empty. After a crash at any point it can run again. The caller
 * holds the write lock.
 */
export async function createRepositoryWith(
  ctx: Ctx,
  repo: Repo,
  project: RepositoryProject,
  first: FirstContent | undefined,
): Promise<void> {
  await createBareRepository(repo, { defaultBranch: project.default_branch })
  if (first?.initialize_with_readme) await commitReadme(ctx, repo, project, first.actor_id)
}

/**
 * Creates the repository of a project that an earlier release left pending after a crash, and marks the project as
 * ready.
 */
export async function finishPendingRepository(
  ctx: Ctx,
  project: Project,
  first: FirstContent,
): Promise<Project> {
  const repo = repoOf(ctx, project)
  await withWriteLock(repo, () => createRepositoryWith(ctx, repo, project, first))
  return tx(ctx.db, () => markReady(ctx, project, first))
}

/** Creates the empty repository of a project that an import fills. The project stays unchanged. */
export async function prepareRepository(ctx: Ctx, project: Project): Promise<Project> {
  await createBareRepository(repoOf(ctx, project), { defaultBranch: project.default_branch })
  return project
}

async function commitReadme(
  ctx: Ctx,
  repo: Repo,
  project: RepositoryProject,
  authorId: number | null,
): Promise<void> {
  if ((await branchTip(repo, project.default_branch)) !== null) return
  const description = project.description?.trim() ? `\n${project.description.trim()}\n` : ''
  const content = Buffer.from(`# ${project.name}\n${description}`)
  const author = identityOf(ctx, authorId)
  const actions = [{ action: 'create' as const, path: README, content }]
  const commit = await createCommit(repo, null, actions, {
    parents: [],
    message: 'Initial commit',
    author,
    committer: author,
  })
  await updateRefs(repo, [{ ref: `refs/heads/${project.default_branch}`, old: null, new: commit.id }])
}

function identityOf(ctx: Ctx, userId: number | null): Identity {
  const user = userId === null ? undefined : userById(ctx.db, userId)
  const date = new Date(ctx.now)
  if (!user) return { name: 'Deskforge', email: 'deskforge@localhost', date }
  return { name: user.name, email: user.commit_email || user.email, date }
}

/** Marks a project with a complete repository as ready and publishes its creation. Runs in the caller's transaction. */
export function markReady(ctx: Ctx, project: Project, first: FirstContent): Project {
  const current = store.byId(ctx.db, project.id)
  // The project was deleted in the meantime, or another run finished it.
  if (!current || current.repository_state === 'ready') return current ?? project
  const content = first.initialize_with_readme
    ? { empty_repo: false, commit_count: 1, readme_path: README }
    : {}
  const ready = store.update(ctx.db, project.id, { repository_state: 'ready', ...content })
  if (first.initialize_with_readme) protectDefaultBranch(ctx, ready)
  publish(ctx, ProjectCreated, {
    project_id: project.id,
    actor_id: first.actor_id,
    initialize_with_readme: first.initialize_with_readme,
  })
  return ready
}

/**
 * Access levels to push to and merge into the default branch, by `default_branch_protection`. 0 is absent: not
 * protected.
 */
const PROTECTION_LEVELS: Readonly<Record<number, { push: number; merge: number }>> = {
  1: { push: 30, merge: 30 },
  2: { push: 40, merge: 40 },
  3: { push: 40, merge: 30 },
  4: { push: 40, merge: 40 },
}

/** Returns the `default_branch_protection` of a project: that of its group, or of the instance. */
export function defaultBranchProtection(ctx: Ctx, project: Project): number {
  const group = project.namespace_kind === 'group' ? namespaceById(ctx.db, project.namespace_id) : undefined
  return group?.default_branch_protection ?? settingsOf(ctx).default_branch_protection
}

/**
 * Protects the default branch as the group or the instance requires (spec core 2.1). Runs in the transaction that
 * records the branch's first commit; an existing protection stays unchanged.
 */
export function protectDefaultBranch(ctx: Ctx, project: Project): void {
  const levels = PROTECTION_LEVELS[defaultBranchProtection(ctx, project)]
  if (levels)
    protections.protect(ctx.db, project.id, { name: project.default_branch, ...levels, now: ctx.now })
}

/**
 * Points the repository's HEAD to the default branch in the project's row. The row changes first, so that a refused
 * update leaves HEAD alone; a job repeats this if the process ended in between.
 */
export async function writeDefaultBranch(ctx: Ctx, projectId: number): Promise<void> {
  const location = store.byId(ctx.db, projectId)
  if (!location) return
  const repo = repoOf(ctx, location)
  // Of two concurrent updates, the later row must also be the later HEAD.
  await withWriteLock(repo, async () => {
    const branch = store.byId(ctx.db, projectId)?.default_branch
    if (branch !== undefined && (await readHead(repo)) !== branchRef(branch)) await writeHead(repo, branch)
  })
}

/** Deletes the repository and the avatar of a deleted project from the disk. */
export async function removeFromStorage(
  ctx: Ctx,
  deleted: { project_id: number } & RepositoryLocation,
): Promise<void> {
  await removeRepository(repoOf(ctx, deleted))
  await removeAvatar(ctx, 'project', deleted.project_id)
}

/**
 * Runs an operation on the repository of a project. Throws git's errors as API errors: 404 for a missing repository,
 * 503 for a damaged one, 400 for names and paths that git refuses.
 */
export async function inRepository<T>(
  ctx: Ctx,
  project: Project,
  work: (repo: Repo) => Promise<T>,
): Promise<T> {
  try {
    return await work(repoOf(ctx, project))
  } catch (error) {
    throw missingFolderOf(ctx, project.repository_storage) ?? translate(ctx, error)
  }
}

/** Returns the API error for an error of git. Returns other errors unchanged. */
export function translate(ctx: Ctx, error: unknown): unknown {
  if (error instanceof Failure) return error
  if (error instanceof GitInputError || error instanceof GitActionError) {
    return fail('bad_request', error.message)
  }
  if (error instanceof GitRefError) return refFailure(error)
  const problem = storageProblem(error) ?? missingStorage(ctx, error)
  if (problem) return problem
  if (!(error instanceof GitError)) return error
  if (error.isRepositoryMissing) return notFound('Repository')
  if (error.reason === 'output_limit') return fail('too_large', 'The content is too large for this answer.')
  ctx.log.error({ err: error, operation: error.operation, stderr: error.stderr }, 'git failed')
  if (error.reason === 'timeout') return fail('unavailable', 'Git took too long to answer.')
  return fail('unavailable', 'The repository cannot be read or written at the moment; it may be damaged.')
}

function refFailure(error: GitRefError): Failure {
  if (error.problem === 'locked') return fail('unavailable', error.message)
  return fail('bad_request', error.message)
}
