import { readDiff } from '../../../../git/read/diff.ts'
import { mergeBase } from '../../../../git/read/graph.ts'
import { listCommits } from '../../../../git/read/log.ts'
import { isBranchName, isObjectId } from '../../../../git/names.ts'
import { updateRefs } from '../../../../git/write/refs.ts'
import { withWriteLock } from '../../../../git/upkeep/repository.ts'
import { branchTip, resolveCommit } from '../../../../git/read/revisions.ts'
import type { Repo } from '../../../../git/types.ts'
import {
  storeVersion,
  patchId,
  refreshClosingIssues,
  importedRequests,
} from '../../../merge_requests/index.ts'
import { inRepository } from '../../../projects/index.ts'
import { diffLimits } from '../../../repository/index.ts'
import { accountOf } from './people.ts'
import { addPlanning, issuableColumns, reserveNumber } from './planning.ts'
import {
  LandingError,
  importedId,
  optionalTime,
  importOnce,
  projectOf,
  titleOf,
  type ImportTarget,
} from './target.ts'
import type { NewMergeRequest } from './types.ts'

/** See Landing.mergeRequest. */
export async function landMergeRequest(target: ImportTarget, input: NewMergeRequest): Promise<number | null> {
  const existingId = importedId(target, 'merge_request', input.source_key)
  if (existingId !== undefined) return existingId
  checkBranches(input)
  const branch = uniqueSourceBranch(target, input)
  const version = await createVersion(target, { ...input, source_branch: branch })
  return importOnce(target, 'merge_request', input.source_key, () =>
    insert(target, { ...input, source_branch: branch }, version),
  )
}

function checkBranches({ source_branch, target_branch }: NewMergeRequest): void {
  if (!isBranchName(source_branch)) throw new LandingError('Source branch is not a valid branch name')
  if (!isBranchName(target_branch)) throw new LandingError('Target branch is not a valid branch name')
}

/**
 * The name of the source branch. Only one open merge request may have the same branches, but branches of deleted forks
 * may share a name.
 */
function uniqueSourceBranch({ ctx, projectId }: ImportTarget, input: NewMergeRequest): string {
  const isTaken = input.state === 'opened' && importedRequests.hasOpenRequest(ctx.db, projectId, input)
  return isTaken ? `${input.source_branch}-${input.iid}` : input.source_branch
}

function insert(target: ImportTarget, input: NewMergeRequest, version: Version | null): number {
  const { ctx, projectId } = target
  reserveNumber(target, 'MergeRequest', input.iid)
  const columns = issuableColumns(target, input)
  const id = importedRequests.insertMergeRequest(ctx.db, {
    ...columns,
    title: input.draft ? titleOf(draftTitle(columns.title), columns.title) : columns.title,
    project_id: projectId,
    source_project_id: projectId,
    source_branch: input.source_branch,
    target_branch: input.target_branch,
    state: input.state,
    head_sha: version?.head ?? null,
    prepared_at: columns.created_at,
    ...mergedColumns(input),
  })
  addPlanning(target, { kind: 'MergeRequest', id }, input)
  const reviewers = (input.reviewers ?? [])
    .map((reviewer) => accountOf(target, reviewer))
    .filter((account) => account.isMatched)
  importedRequests.insertReviewers(
    ctx.db,
    id,
    reviewers.map((reviewer) => reviewer.id),
    columns.created_at,
  )
  if (version) insertVersion(target, id, version, columns.created_at)
  return id
}

function mergedColumns({ state, merged_at, updated_at, created_at, merge_commit_sha }: NewMergeRequest) {
  if (state !== 'merged') return {}
  return {
    merged_at: optionalTime(merged_at ?? updated_at ?? created_at),
    merge_status: 'can_be_merged' as const,
    merge_commit_sha: merge_commit_sha && isObjectId(merge_commit_sha) ? merge_commit_sha : null,
  }
}

/** The title with the prefix of a draft (spec core 5.1). */
function draftTitle(title: string): string {
  return /^(?:\[draft\]|\(draft\)|draft:)/i.test(title) ? title : `Draft: ${title}`
}

/** See Landing.settle. */
export async function settleMergeRequests(target: ImportTarget): Promise<void> {
  const { ctx, projectId } = target
  for (let after = 0; ;) {
    const ids = importedRequests.openRequestIdsAfter(ctx.db, projectId, after)
    for (const id of ids) await refreshClosingIssues(ctx, projectOf(target), id)
    if (ids.length === 0) return
    after = ids.at(-1)!
  }
}

const MAX_COMMITS = 10_000

/** A version of a merge request, as read from the repository. */
interface Version {
  readonly head: string
  readonly start: string
  /** Null when the two histories have no common commit. */
  readonly base: string | null
  readonly state: 'collected' | 'overflow' | 'without_files' | 'empty'
  readonly real_size: string
  readonly patch_id: string
  /** Newest first. */
  readonly commits: readonly string[]
}

/**
 * Finds the commits of a merge request and protects them from garbage collection. Creates the source branch of an open
 * one if the input requests it. Returns null if the head or the target is not in the repository.
 */
function createVersion(target: ImportTarget, input: NewMergeRequest): Promise<Version | null> {
  const { ctx } = target
  return inRepository(ctx, projectOf(target), async (repo) => {
    const tips = await commitsOf(repo, input)
    if (tips === null) return null
    await storeVersion(repo, input.iid, tips)
    if (input.state === 'opened' && input.restore_source_branch)
      await restoreBranch(repo, input.source_branch, tips.head)
    const { head, start } = tips
    const base = await mergeBase(repo, start, head)
    const limits = diffLimits(ctx)
    const [commits, diff] = await Promise.all([
      listCommits(repo, { range: { tips: [head], not: [start] }, limit: MAX_COMMITS }),
      readDiff(repo, { from: base ?? start, to: head }, limits),
    ])
    const limit = limits.max_files ?? diff.total_files
    return {
      head,
      start,
      base,
      state: stateOf(commits.length, diff),
      real_size: diff.total_files > limit ? `${limit}+` : String(diff.total_files),
      patch_id: patchId(diff.files),
      commits: commits.map((commit) => commit.id),
    }
  })
}

async function commitsOf(
  repo: Repo,
  input: NewMergeRequest,
): Promise<{ head: string; start: string } | null> {
  const commitOf = async (id: string | null) => (id === null ? null : resolveCommit(repo, id))
  const head =
    (await commitOf(input.head_sha)) ?? (await resolveCommit(repo, `refs/merge-requests/${input.iid}/head`))
  const start = (await commitOf(input.base_sha)) ?? (await branchTip(repo, input.target_branch))
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

function insertVersion({ ctx }: ImportTarget, requestId: number, version: Version, created_at: string): void {
  const { head, start, base, state, real_size, patch_id, commits } = version
  const row = {
    merge_request_id: requestId,
    state,
    head_commit_sha: head,
    base_commit_sha: base,
    start_commit_sha: start,
    real_size,
    commits_count: commits.length,
    patch_id,
    created_at,
  }
  importedRequests.insertVersion(ctx.db, row, commits)
}
