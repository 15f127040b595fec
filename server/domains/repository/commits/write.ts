import type { Ctx } from '../../../ctx.ts'
import { createCommit, type CommitAction } from '../../../git/write/commit.ts'
import { readCommits, type Commit } from '../../../git/read/commits.ts'
import { copyCommits } from '../../../git/write/copy-commits.ts'
import { GitActionError, GitRefError } from '../../../git/errors.ts'
import { lastCommitFor } from '../../../git/read/log.ts'
import { isObjectId, ZERO_ID } from '../../../git/names.ts'
import { branchTip, resolveCommit } from '../../../git/read/revisions.ts'
import type { Repo } from '../../../git/types.ts'
import { fail } from '../../../lib/fail.ts'
import { repoOf, type Project, inRepository } from '../../projects/index.ts'
import { branchProblem, runChecks } from '../checks/run-checks.ts'
import { checkPushRules } from '../checks/push-rules.ts'
import { authorOf, committerOf } from '../service.ts'
import { moveRefs } from '../service-refs.ts'
import { refusesAllPushes, singleLine } from '../checks/check.ts'

/** The contract's error message for an actor who may not push to a branch. */
export const NO_PUSH = 'You are not allowed to push into this branch'

/**
 * Returns the error of the commits API for a refused push: the contract's message for a protected branch, the
 * check's own message for everything else (spec core 4.6).
 */
export function refusedPushError(sentence: string): Error {
  const reason = refusesAllPushes(sentence) ? NO_PUSH : singleLine(sentence)
  return fail('forbidden', `403 Forbidden - ${reason}`)
}

/** Returns the error for content that the push rule refuses (spec administration 11.2). */
export function pushRuleError(sentence: string): Error {
  return fail('bad_request', sentence)
}

const CHANGED = 'The branch was changed by someone else in the meantime. Please try again.'
/** The maximum number of attempts. A push to the same branch does not wait for the lock and makes an attempt fail. */
const MAX_ATTEMPTS = 5

/** Creates a commit on top of the tip of a branch, which is null if the branch does not exist yet. */
export type CreateOnTop = (tip: string | null) => Promise<string>

/**
 * Moves a branch to a new commit on top of it. Such changes of one branch run one after the other. If a push moves the
 * branch in the meantime, `create` runs again. Returns the new commit.
 */
export function advanceBranch(
  ctx: Ctx,
  project: Project,
  target: { repo: Repo; branch: string },
  create: CreateOnTop,
): Promise<string> {
  const { repo, branch } = target
  const ref = `refs/heads/${branch}`
  return repo.git.locks.run(`${repo.key}\0${ref}`, async () => {
    for (let attempt = 1; ; attempt++) {
      const tip = await branchTip(repo, branch)
      const newCommit = await create(tip)
      try {
        await moveRefs(ctx, project, { source: 'api', changes: [{ ref, old: tip, new: newCommit }] })
        return newCommit
      } catch (error) {
        if (!isConcurrentMove(error)) throw error
        if (attempt === MAX_ATTEMPTS) throw fail('bad_request', CHANGED)
      }
    }
  })
}

function isConcurrentMove(error: unknown): boolean {
  return error instanceof GitRefError && ['changed', 'exists', 'missing'].includes(error.problem)
}

/** One change of a file in an API request. */
export interface FileAction {
  readonly action: 'create' | 'update' | 'delete' | 'move' | 'chmod' | 'submodule'
  readonly file_path: string
  /** The new commit of a submodule. */
  readonly commit_id?: string | undefined
  readonly previous_path?: string | undefined
  readonly content?: string | undefined
  readonly encoding?: 'text' | 'base64' | undefined
  readonly last_commit_id?: string | undefined
  readonly execute_filemode?: boolean | undefined
}

/** A commit to create on a branch. */
export interface CommitRequest {
  readonly branch: string
  readonly commit_message: string
  readonly start_branch?: string | undefined
  readonly start_sha?: string | undefined
  /** The project of the start ref, if it is another project of the fork network. */
  readonly start_project?: Project | undefined
  readonly author_email?: string | undefined
  readonly author_name?: string | undefined
  readonly actions: readonly FileAction[]
  /** True to replace an existing branch with a commit on top of the start ref. */
  readonly force?: boolean | undefined
}

const STALE = 'You are attempting to update a file that has changed since you started editing it.'
const NOT_ON_A_BRANCH = 'You can only create or edit files when you are on a branch'

/**
 * Creates one commit of file changes on a branch and moves the branch to it. `toError` converts the message of a refused
 * push to an error. Throws 400 for changes that do not fit the current files.
 */
export function commitFiles(
  ctx: Ctx,
  project: Project,
  request: CommitRequest,
  toError: (sentence: string) => Error,
): Promise<Commit> {
  return inRepository(ctx, project, async (repo) => {
    const { branch } = request
    if (branchProblem(branch)) throw fail('bad_request', NOT_ON_A_BRANCH)
    const newCommit = await advanceBranch(ctx, project, { repo, branch }, async (tip) => {
      const base = await startOf(ctx, project, { repo, request, tip })
      await checkMove({ base, tip, paths: pathsOf(request.actions) })
      await checkUnchanged(repo, base, request.actions)
      const id = await create(ctx, repo, base, request)
      if (request.force && tip !== null) await checkMove({ tip, newCommit: id })
      else await checkContent(tip, id)
      return id
    })
    return (await readCommits(repo, [newCommit]))[0]!

    // This runs before the commit is written, so without `newCommit` the checks get the current commit and the paths.
    async function checkMove(params: {
      tip: string | null
      base?: string | null
      newCommit?: string
      paths?: string[]
    }) {
      const { tip, base, paths } = params
      const change = {
        ref: `refs/heads/${branch}`,
        old: tip,
        new: params.newCommit ?? tip ?? base ?? ZERO_ID,
      }
      const input = { ctx, project, repo, source: 'api', changes: [change] } as const
      const refusal = await runChecks(paths ? { ...input, paths } : input)
      if (refusal) throw refusal.byPushRule ? pushRuleError(refusal.sentence) : toError(refusal.sentence)
    }

    // The push rule reads the new commit.
    async function checkContent(tip: string | null, newCommit: string) {
      const changes = [{ ref: `refs/heads/${branch}`, old: tip, new: newCommit }]
      const sentence = await checkPushRules({ ctx, project, repo, source: 'api', changes })
      if (sentence !== undefined) throw pushRuleError(sentence)
    }
  })
}

function pathsOf(actions: readonly FileAction[]): string[] {
  return actions.flatMap((action) => [action.file_path, action.previous_path ?? action.file_path])
}

/** Returns the parent of the new commit; null for the first commit of an empty repository. */
async function startOf(
  ctx: Ctx,
  project: Project,
  input: { repo: Repo; request: CommitRequest; tip: string | null },
): Promise<string | null> {
  const { repo, tip } = input
  const { branch, start_branch, start_sha, start_project: other, force } = input.request
  const startName = start_sha ?? start_branch ?? other?.default_branch
  if (startName === undefined || (startName === branch && start_sha === undefined && !other)) {
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
  const start = start_sha === undefined ? await branchTip(source, startName) : await byId(source, startName)
  if (start === null && !(other ?? project).empty_repo)
    throw fail('bad_request', `Invalid reference name: ${startName}`)
  if (start !== null && other) await copyCommits(source, repo, [start])
  return start
}

async function byId(repo: Repo, id: string): Promise<string | null> {
  return isObjectId(id) ? resolveCommit(repo, id) : null
}

/** Throws if another commit changed a file after the caller read it. */
async function checkUnchanged(
  repo: Repo,
  base: string | null,
  actions: readonly FileAction[],
): Promise<void> {
  for (const action of actions) {
    if (!action.last_commit_id || base === null) continue
    const path = action.previous_path ?? action.file_path
    const last = await lastCommitFor(repo, base, path).catch(() => null)
    if (last !== null && last.id !== action.last_commit_id) throw fail('bad_request', STALE)
  }
}

async function create(ctx: Ctx, repo: Repo, base: string | null, request: CommitRequest): Promise<string> {
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

function gitAction(action: FileAction): CommitAction {
  const path = action.file_path
  const mode = action.execute_filemode === undefined ? {} : { executable: action.execute_filemode }
  switch (action.action) {
    case 'create':
    case 'update':
      return { action: action.action, path, content: contentOf(action) ?? Buffer.alloc(0), ...mode }
    case 'delete':
      return { action: 'delete', path }
    case 'move': {
      if (!action.previous_path) throw fail('bad_request', 'A file that moves needs its previous_path')
      const content = contentOf(action)
      return {
        action: 'move',
        path,
        previous_path: action.previous_path,
        ...(content ? { content } : {}),
        ...mode,
      }
    }
    case 'submodule':
      return { action: 'submodule', path, commit: action.commit_id ?? '' }
    case 'chmod':
      return { action: 'chmod', path, executable: action.execute_filemode ?? false }
  }
}

function contentOf(action: FileAction): Buffer | undefined {
  if (action.content === undefined) return undefined
  if (action.encoding !== 'base64') return Buffer.from(action.content, 'utf8')
  const compact = action.content.replace(/\s+/g, '')
  // Node silently ignores invalid base64, so an incomplete file would be stored.
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(compact)) throw fail('bad_request', 'The content is not valid Base64')
  return Buffer.from(compact, 'base64')
}
