import type { Ctx } from '../../../ctx.ts'
import { findCommit, type Commit } from '../../../git/read/commits.ts'
import { branchTip } from '../../../git/read/revisions.ts'
import type { Repo } from '../../../git/types.ts'
import { createCommitOfTree, type NewCommit } from '../../../git/write/commit.ts'
import { identityAt } from '../../../git/write/identity.ts'
import { mergeThreeWay } from '../../../git/write/merge.ts'
import { rootTree } from '../../../git/write/tree-object.ts'
import { Failure, notFound } from '../../../lib/fail.ts'
import { type Project, inRepository } from '../../projects/index.ts'
import { runChecks } from '../checks/run-checks.ts'
import { committerOf } from '../service.ts'
import type { CommitRow } from './entity.ts'
import { commitOrFail, rowOf } from './service.ts'
import { advanceBranch, refusedPushError, pushRuleError } from './write.ts'

type PickKind = 'cherry_pick' | 'revert'

/** A commit to cherry-pick or revert on a branch. */
interface PickRequest {
  readonly kind: PickKind
  /** The id of a commit, or the name of a branch or tag. */
  readonly sha: string
  readonly branch: string
  readonly dry_run?: boolean | undefined
  /** Replaces the default message. */
  readonly message?: string | undefined
}

/**
 * Creates a commit on the branch that repeats or reverts another one. Of a merge, the changes against the first parent
 * count. Returns the new commit; null for a dry run that would succeed. Throws 400 with an `error_code`: `conflict`, or
 * `empty` if nothing would change (spec core 4.6).
 */
export function pickCommit(ctx: Ctx, project: Project, request: PickRequest): Promise<CommitRow | null> {
  return inRepository(ctx, project, async (repo) => {
    const commit = await commitOrFail(repo, request.sha)
    const { branch } = request
    const currentTip = await branchTip(repo, branch)
    if (currentTip === null) throw notFound('Branch')
    await checkMove(ctx, project, { repo, branch, tip: currentTip, newCommit: currentTip })
    if (request.dry_run) {
      await apply(repo, request, commit, currentTip)
      return null
    }
    const newCommit = await advanceBranch(ctx, project, { repo, branch }, async (tip) => {
      if (tip === null) throw notFound('Branch')
      const tree = await apply(repo, request, commit, tip)
      const id = await createCommitOfTree(repo, tree, {
        ...commitData(ctx, request, commit),
        parents: [tip],
      })
      // Some checks read the new commit.
      await checkMove(ctx, project, { repo, branch, tip, newCommit: id })
      return id
    })
    return rowOf(project, (await findCommit(repo, newCommit))!)
  })
}

async function checkMove(
  ctx: Ctx,
  project: Project,
  { repo, branch, tip, newCommit }: { repo: Repo; branch: string; tip: string; newCommit: string },
): Promise<void> {
  const change = { ref: `refs/heads/${branch}`, old: tip, new: newCommit }
  const refusal = await runChecks({ ctx, project, repo, source: 'api', changes: [change] })
  if (refusal) throw refusal.byPushRule ? pushRuleError(refusal.sentence) : refusedPushError(refusal.sentence)
}

/** Returns the tree of the branch with the change applied. */
async function apply(repo: Repo, request: PickRequest, commit: Commit, tip: string): Promise<string> {
  const parent = commit.parent_ids[0] ?? null
  const sides =
    request.kind === 'revert'
      ? { base: commit.id, ours: tip, theirs: parent }
      : { base: parent, ours: tip, theirs: commit.id }
  const { tree, clean } = await mergeThreeWay(repo, sides)
  if (!clean) throw pickError(request, 'conflict')
  if (tree === (await rootTree(repo, tip))) throw pickError(request, 'empty')
  return tree
}

function pickError(request: PickRequest, error_code: 'conflict' | 'empty'): Failure {
  const [verb, participle] =
    request.kind === 'revert' ? ['revert', 'reverted'] : ['cherry-pick', 'cherry-picked']
  const message = `Sorry, we cannot ${verb} this commit automatically. This commit may already have been ${participle}, or a more recent commit may have updated some of its content.`
  const dry = request.dry_run ? { dry_run: 'error' } : {}
  return new Failure('bad_request', message, { body: { message, error_code, ...dry } })
}

function commitData(ctx: Ctx, request: PickRequest, commit: Commit): Omit<NewCommit, 'parents'> {
  const committer = committerOf(ctx)
  if (request.kind === 'revert') {
    const fallback = `Revert "${commit.title}"\n\nThis reverts commit ${commit.id}`
    return { message: request.message || fallback, author: committer, committer }
  }
  const fallback = `${commit.message}\n\n(cherry picked from commit ${commit.id})`
  const author = identityAt(commit.author_name, commit.author_email, commit.authored_date)
  return { message: request.message || fallback, author, committer }
}
