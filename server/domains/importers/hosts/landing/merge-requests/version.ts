import { jsonList, q } from '../../../../../db/database.ts'
import { readDiff } from '../../../../../git/diff.ts'
import { mergeBase } from '../../../../../git/graph.ts'
import { listCommits } from '../../../../../git/log.ts'
import { updateRefs } from '../../../../../git/refs.ts'
import { withWriteLock } from '../../../../../git/repository.ts'
import { branchTip, resolveCommit } from '../../../../../git/revisions.ts'
import type { Repo } from '../../../../../git/types.ts'
import { keepVersion, patchId } from '../../../../merge_requests/index.ts'
import { inRepository } from '../../../../projects/index.ts'
import { diffLimits } from '../../../../repository/index.ts'
import { projectOf, type ImportTarget } from '../target.ts'
import type { NewMergeRequest } from '../inputs.ts'

const MAX_COMMITS = 10_000

/** The commits of a version, and what git says about them. */
export interface Version {
  readonly head: string
  readonly start: string
  /** Null where the two histories have nothing in common. */
  readonly base: string | null
  readonly state: 'collected' | 'overflow' | 'without_files' | 'empty'
  readonly real_size: string
  readonly patch_id: string
  /** Newest first. */
  readonly commits: readonly string[]
}

/**
 * Looks up and keeps the commits of a merge request, and makes the source branch of an open one where that is wanted; null
 * where its head or its target is not in the repository.
 */
export function makeVersion(target: ImportTarget, given: NewMergeRequest): Promise<Version | null> {
  const { ctx } = target
  return inRepository(ctx, projectOf(target), async (repo) => {
    const ends = await endsOf(repo, given)
    if (ends === null) return null
    await keepVersion(repo, given.iid, ends)
    if (given.state === 'opened' && given.restore_source_branch)
      await restoreBranch(repo, given.source_branch, ends.head)
    const { head, start } = ends
    const base = await mergeBase(repo, start, head)
    const limits = diffLimits(ctx)
    const [commits, diff] = await Promise.all([
      listCommits(repo, { range: { tips: [head], not: [start] }, limit: MAX_COMMITS }),
      readDiff(repo, { from: base ?? start, to: head }, limits),
    ])
    const most = limits.max_files ?? diff.total_files
    return {
      head,
      start,
      base,
      state: stateOf(commits.length, diff),
      real_size: diff.total_files > most ? `${most}+` : String(diff.total_files),
      patch_id: patchId(diff.files),
      commits: commits.map((commit) => commit.id),
    }
  })
}

async function endsOf(repo: Repo, given: NewMergeRequest): Promise<{ head: string; start: string } | null> {
  const found = async (id: string | null) => (id === null ? null : resolveCommit(repo, id))
  const head =
    (await found(given.head_sha)) ?? (await resolveCommit(repo, `refs/merge-requests/${given.iid}/head`))
  const start = (await found(given.base_sha)) ?? (await branchTip(repo, given.target_branch))
  return head === null || start === null ? null : { head, start }
}

async function restoreBranch(repo: Repo, branch: string, head: string): Promise<void> {
  await withWriteLock(repo, async () => {
    if ((await branchTip(repo, branch)) !== null) return
    await updateRefs(repo, [{ ref: `refs/heads/${branch}`, old: null, new: head }])
  })
}

function stateOf(commits: number, diff: { total_files: number; overflow: boolean }): Version['state'] {
  if (commits === 0) return 'empty'
  if (diff.total_files === 0) return 'without_files'
  return diff.overflow ? 'overflow' : 'collected'
}

/** Writes a version down as the newest of a merge request. Inside the caller's transaction. */
export function writeVersion(
  { ctx }: ImportTarget,
  requestId: number,
  version: Version,
  created_at: string,
): void {
  const { head, start, base, state, real_size, patch_id, commits } = version
  const { id } = ctx.db.run(
    q.insertInto('merge_request_diffs').values({
      merge_request_id: requestId,
      state,
      head_commit_sha: head,
      base_commit_sha: base,
      start_commit_sha: start,
      real_size,
      commits_count: commits.length,
      patch_id,
      created_at,
    }),
  )
  ctx.db.exec(
    'INSERT INTO merge_request_diff_commits (diff_id, position, sha) SELECT ?, key, value FROM json_each(?)',
    id,
    jsonList(commits),
  )
  ctx.db.exec('UPDATE merge_requests SET latest_diff_id = ?, head_sha = ? WHERE id = ?', id, head, requestId)
}
