import type { Ctx } from '../../../ctx.ts'
import { createCommitOfTree } from '../../../git/write/commit.ts'
import { readCommits } from '../../../git/read/commits.ts'
import { mergeCommits } from '../../../git/write/merge.ts'
import { updateRefs } from '../../../git/write/refs.ts'
import { refTarget } from '../../../git/read/revisions.ts'
import type { Repo } from '../../../git/types.ts'
import { fail } from '../../../lib/fail.ts'
import { inRepository, type Project } from '../../projects/index.ts'
import { committerOf } from '../../repository/index.ts'
import { ensureVersion, tipsOf } from '../diffs/branches.ts'
import { mergeRequestRef } from '../diffs/version.ts'
import { latestDiff } from '../diffs/store.ts'
import { checkMayReadCode } from '../policy.ts'
import type { MergeRequestRow } from '../types.ts'

const notMergeable = () => fail('bad_request', 'Merge request is not mergeable')

/**
 * Returns the commit that merging would create, and moves `refs/merge-requests/<iid>/merge` to it. Makes a new commit
 * when a branch has moved. Throws 400 when the merge request is not open, is empty or has conflicts.
 */
export function mergeRefOf(ctx: Ctx, project: Project, before: MergeRequestRow): Promise<string> {
  checkMayReadCode(ctx, project)
  return inRepository(ctx, project, async () => {
    if (before.state !== 'opened') throw notMergeable()
    const request = await ensureVersion(ctx, project, before)
    const { repo, head: tip, target } = await tipsOf(ctx, project, request)
    const version = latestDiff(ctx.db, request)
    if (tip === null || target === null || !version || version.state === 'empty') throw notMergeable()
    const head = version.head_commit_sha
    const ref = mergeRequestRef(request.iid, 'merge')
    return (
      (await currentMergeRef(repo, ref, [target, head])) ?? createMergeRef(ctx, repo, { ref, target, head })
    )
  })
}

async function currentMergeRef(
  repo: Repo,
  ref: string,
  parents: readonly string[],
): Promise<string | undefined> {
  const id = await refTarget(repo, ref)
  const [commit] = id === null ? [] : await readCommits(repo, [id])
  return commit?.parent_ids.join() === parents.join() ? commit.id : undefined
}

async function createMergeRef(
  ctx: Ctx,
  repo: Repo,
  { ref, target, head }: { ref: string; target: string; head: string },
): Promise<string> {
  const { tree, clean } = await mergeCommits(repo, target, head)
  if (!clean) throw notMergeable()
  const committer = committerOf(ctx)
  const message = `Merge ${head} into ${target}`
  const mergeCommit = await createCommitOfTree(repo, tree, {
    parents: [target, head],
    message,
    author: committer,
    committer,
  })
  await updateRefs(repo, [{ ref, new: mergeCommit }])
  return mergeCommit
}
