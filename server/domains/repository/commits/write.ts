import type { Ctx } from '../../../ctx.ts'
import { createCommit, type CommitAction } from '../../../git/commit.ts'
import { readCommits, type Commit } from '../../../git/commits.ts'
import { GitActionError, GitRefError } from '../../../git/errors.ts'
import { lastCommitFor } from '../../../git/log.ts'
import { isObjectId } from '../../../git/names.ts'
import { branchTip, resolveCommit } from '../../../git/revisions.ts'
import type { Repo } from '../../../git/types.ts'
import { fail } from '../../../lib/fail.ts'
import type { Project } from '../../projects/index.ts'
import { branchProblem } from '../checks/names.ts'
import { refusalOf } from '../checks/run-checks.ts'
import { authorOf, committerOf } from '../identity.ts'
import { moveRefs } from '../refs-updated.ts'
import { inRepository } from '../repo.ts'

/** One change of a file as the API takes it. */
export interface FileAction {
  readonly action: 'create' | 'update' | 'delete' | 'move' | 'chmod'
  readonly file_path: string
  readonly previous_path?: string | undefined
  readonly content?: string | undefined
  readonly encoding?: 'text' | 'base64' | undefined
  readonly last_commit_id?: string | undefined
  readonly execute_filemode?: boolean | undefined
}

/** A commit to be made on a branch. */
export interface CommitRequest {
  readonly branch: string
  readonly commit_message: string
  readonly start_branch?: string | undefined
  readonly start_sha?: string | undefined
  readonly author_email?: string | undefined
  readonly author_name?: string | undefined
  readonly actions: readonly FileAction[]
  /** Put the commit on top of the start even when the branch is there already. */
  readonly force?: boolean | undefined
}

const STALE = 'You are attempting to update a file that has changed since you started editing it.'
const CHANGED = 'The branch was changed by someone else meanwhile. Please try again.'

/**
 * Makes one commit of file changes on a branch and moves the branch to it. `refused` says how a refusal by the rules
 * of pushes is answered. Throws 400 for changes that do not fit what is there.
 */
export function commitFiles(
  ctx: Ctx,
  project: Project,
  request: CommitRequest,
  refused: (sentence: string) => Error,
): Promise<Commit> {
  return inRepository(ctx, project, async (repo) => {
    const { branch } = request
    if (branchProblem(branch))
      throw fail('bad_request', 'You can only create or edit files when you are on a branch')
    const tip = await branchTip(repo, branch)
    const base = await startOf(repo, project, request, tip)
    // Asked before anything is written, with what the branch will be in place of a commit that is not there yet.
    const expected = { ref: `refs/heads/${branch}`, old: tip, new: tip ?? base ?? '0'.repeat(40) }
    const paths = request.actions.flatMap((one) => [one.file_path, one.previous_path ?? one.file_path])
    const refusal = await refusalOf({ ctx, project, repo, source: 'api', changes: [expected], paths })
    if (refusal) throw refused(refusal)
    await checkFresh(repo, base, request.actions)
    const made = await make(ctx, repo, base, request)
    const change = { ref: `refs/heads/${branch}`, old: tip, new: made }
    if (request.force && tip !== null) {
      const forced = await refusalOf({ ctx, project, repo, source: 'api', changes: [change] })
      if (forced) throw refused(forced)
    }
    await moveRefs(ctx, project, { source: 'api', changes: [change] }).catch((error: unknown) => {
      throw error instanceof GitRefError && error.problem !== 'locked' ? fail('bad_request', CHANGED) : error
    })
    return (await readCommits(repo, [made]))[0]!
  })
}

/** The commit that the new one stands on; null for the first of an empty repository. */
async function startOf(
  repo: Repo,
  project: Project,
  request: CommitRequest,
  tip: string | null,
): Promise<string | null> {
  const { branch, start_branch, start_sha, force } = request
  const named = start_sha ?? start_branch
  if (named === undefined || (named === branch && start_sha === undefined)) {
    if (tip === null && project.empty_repo === 0)
      throw fail('bad_request', 'You can only create or edit files when you are on a branch')
    return tip
  }
  if (tip !== null && !force) {
    throw fail(
      'bad_request',
      `A branch called '${branch}' already exists. Switch to that branch in order to make changes`,
    )
  }
  const start =
    start_sha === undefined
      ? await branchTip(repo, named)
      : isObjectId(named)
        ? await resolveCommit(repo, named)
        : null
  if (start === null && project.empty_repo === 0)
    throw fail('bad_request', `Invalid reference name: ${named}`)
  return start
}

/** Refuses changes of files that somebody else changed since the caller looked at them. */
async function checkFresh(repo: Repo, base: string | null, actions: readonly FileAction[]): Promise<void> {
  for (const action of actions) {
    if (!action.last_commit_id || base === null) continue
    const path = action.previous_path ?? action.file_path
    const last = await lastCommitFor(repo, base, path).catch(() => null)
    if (last !== null && last.id !== action.last_commit_id) throw fail('bad_request', STALE)
  }
}

async function make(ctx: Ctx, repo: Repo, base: string | null, request: CommitRequest): Promise<string> {
  const commit = {
    parents: base === null ? [] : [base],
    message: request.commit_message,
    author: authorOf(ctx, request),
    committer: committerOf(ctx),
  }
  try {
    return (await createCommit(repo, base, request.actions.map(gitAction), commit)).id
  } catch (error) {
    throw error instanceof GitActionError ? fail('bad_request', error.message) : error
  }
}

function gitAction(given: FileAction): CommitAction {
  const path = given.file_path
  const mode = given.execute_filemode === undefined ? {} : { executable: given.execute_filemode }
  switch (given.action) {
    case 'create':
    case 'update':
      return { action: given.action, path, content: contentOf(given) ?? Buffer.alloc(0), ...mode }
    case 'delete':
      return { action: 'delete', path }
    case 'move': {
      if (!given.previous_path) throw fail('bad_request', 'A file that moves needs its previous_path')
      const content = contentOf(given)
      return {
        action: 'move',
        path,
        previous_path: given.previous_path,
        ...(content ? { content } : {}),
        ...mode,
      }
    }
    case 'chmod':
      return { action: 'chmod', path, executable: given.execute_filemode ?? false }
  }
}

function contentOf(given: FileAction): Buffer | undefined {
  if (given.content === undefined) return undefined
  if (given.encoding !== 'base64') return Buffer.from(given.content, 'utf8')
  const compact = given.content.replace(/\s+/g, '')
  // Node reads whatever it can and drops the rest in silence; half a file would be worse than none.
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(compact)) throw fail('bad_request', 'The content is not valid Base64')
  return Buffer.from(compact, 'base64')
}
