import type { Ctx } from '../../../ctx.ts'
import { createCommit, type CommitAction } from '../../../git/write/commit.ts'
import { readCommits, type Commit } from '../../../git/read/commits.ts'
import { copyCommits } from '../../../git/write/copy-commits.ts'
import { GitActionError } from '../../../git/errors.ts'
import { lastCommitFor } from '../../../git/read/log.ts'
import { isObjectId, ZERO_ID } from '../../../git/names.ts'
import { branchTip, resolveCommit } from '../../../git/read/revisions.ts'
import type { Repo } from '../../../git/types.ts'
import { fail } from '../../../lib/fail.ts'
import { repoOf, type Project } from '../../projects/index.ts'
import { branchProblem } from '../checks/names.ts'
import { respectPushRules } from '../checks/push-rules.ts'
import { judge } from '../checks/run-checks.ts'
import { authorOf, committerOf } from '../identity.ts'
import { inRepository } from '../repo.ts'
import { advanceBranch } from './advance.ts'
import { unacceptable } from './refused.ts'

/** One change of a file as the API takes it. */
export interface FileAction {
  readonly action: 'create' | 'update' | 'delete' | 'move' | 'chmod' | 'submodule'
  readonly file_path: string
  /** Of a submodule: the commit it is to be at. */
  readonly commit_id?: string | undefined
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
  /** Where the start is looked for, when that is not the project itself: one of its fork network. */
  readonly start_project?: Project | undefined
  readonly author_email?: string | undefined
  readonly author_name?: string | undefined
  readonly actions: readonly FileAction[]
  /** Put the commit on top of the start even when the branch is there already. */
  readonly force?: boolean | undefined
}

const STALE = 'You are attempting to update a file that has changed since you started editing it.'
const NOT_ON_A_BRANCH = 'You can only create or edit files when you are on a branch'

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
    if (branchProblem(branch)) throw fail('bad_request', NOT_ON_A_BRANCH)
    const made = await advanceBranch(ctx, project, { repo, branch }, async (tip) => {
      const base = await startOf(ctx, project, { repo, request, tip })
      await ask({ base, tip, paths: pathsOf(request.actions) })
      await checkFresh(repo, base, request.actions)
      const id = await make(ctx, repo, base, request)
      if (request.force && tip !== null) await ask({ tip, made: id })
      else await look(tip, id)
      return id
    })
    return (await readCommits(repo, [made]))[0]!

    // Asked before anything is written, with what the branch will be in place of a commit that is not there yet.
    async function ask(given: { tip: string | null; base?: string | null; made?: string; paths?: string[] }) {
      const { tip, base, paths } = given
      const change = { ref: `refs/heads/${branch}`, old: tip, new: given.made ?? tip ?? base ?? ZERO_ID }
      const input = { ctx, project, repo, source: 'api', changes: [change] } as const
      const refusal = await judge(paths ? { ...input, paths } : input)
      if (refusal) throw refusal.byPushRule ? unacceptable(refusal.sentence) : refused(refusal.sentence)
    }

    // Some rules can only be asked about the commit itself.
    async function look(tip: string | null, made: string) {
      const changes = [{ ref: `refs/heads/${branch}`, old: tip, new: made }]
      const sentence = await respectPushRules({ ctx, project, repo, source: 'api', changes })
      if (sentence !== undefined) throw unacceptable(sentence)
    }
  })
}

function pathsOf(actions: readonly FileAction[]): string[] {
  return actions.flatMap((one) => [one.file_path, one.previous_path ?? one.file_path])
}

/** The commit that the new one stands on; null for the first of an empty repository. */
async function startOf(
  ctx: Ctx,
  project: Project,
  given: { repo: Repo; request: CommitRequest; tip: string | null },
): Promise<string | null> {
  const { repo, tip } = given
  const { branch, start_branch, start_sha, start_project: other, force } = given.request
  const named = start_sha ?? start_branch ?? other?.default_branch
  if (named === undefined || (named === branch && start_sha === undefined && !other)) {
    if (tip === null && !project.empty_repo) throw fail('bad_request', NOT_ON_A_BRANCH)
    return tip
  }
  if (tip !== null && !force) {
    throw fail(
      'bad_request',
      `A branch called '${branch}' already exists. Switch to that branch in order to make changes`,
    )
  }
  const source = other ? repoOf(ctx, other) : repo
  const start = start_sha === undefined ? await branchTip(source, named) : await byId(source, named)
  if (start === null && !(other ?? project).empty_repo)
    throw fail('bad_request', `Invalid reference name: ${named}`)
  if (start !== null && other) await copyCommits(source, repo, [start])
  return start
}

async function byId(repo: Repo, id: string): Promise<string | null> {
  return isObjectId(id) ? resolveCommit(repo, id) : null
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
    case 'submodule':
      return { action: 'submodule', path, commit: given.commit_id ?? '' }
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
