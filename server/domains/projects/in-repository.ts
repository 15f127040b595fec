import type { Ctx } from '../../ctx.ts'
import { GitActionError, GitError, GitInputError, GitRefError } from '../../git/errors.ts'
import type { Repo } from '../../git/types.ts'
import { fail, Failure, notFound } from '../../lib/fail.ts'
import { storageProblem } from '../../lib/storage-problem.ts'
import { missingStorage, storageGone } from '../storage/index.ts'
import type { Project } from './project.ts'
import { repoOf } from './repository.ts'

/**
 * Works on the repository of a project and turns what git reports into failures of the API: 404 for a repository that
 * is not there, 503 for a damaged one, 400 for names and paths that git would not take.
 */
export async function inRepository<T>(
  ctx: Ctx,
  project: Project,
  work: (repo: Repo) => Promise<T>,
): Promise<T> {
  try {
    return await work(repoOf(ctx, project))
  } catch (error) {
    throw storageGone(ctx, project.repository_storage) ?? translate(ctx, error)
  }
}

/** What a failure of git means to the caller of the API; anything unknown stays as it is. */
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
