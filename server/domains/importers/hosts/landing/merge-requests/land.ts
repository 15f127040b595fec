import { q } from '../../../../../db/database.ts'
import { isBranchName, isObjectId } from '../../../../../git/names.ts'
import { keepIid } from '../../../../planning/index.ts'
import { CannotLand } from '../cannot-land.ts'
import { landed, once, type ImportTarget } from '../target.ts'
import type { NewMergeRequest } from '../inputs.ts'
import { plan, plannedColumns } from '../issues.ts'
import { accountOf } from '../people.ts'
import { maybeTime, titleOf } from '../texts.ts'
import { insertReviewers } from './reviewers.ts'
import { makeVersion, writeVersion, type Version } from './version.ts'

/** See Landing.mergeRequest. */
export async function landMergeRequest(target: ImportTarget, given: NewMergeRequest): Promise<number | null> {
  const known = landed(target, 'merge_request', given.source_key)
  if (known !== undefined) return known
  check(given)
  const branch = freeBranch(target, given)
  const version = await makeVersion(target, { ...given, source_branch: branch })
  return once(target, 'merge_request', given.source_key, () =>
    insert(target, { ...given, source_branch: branch }, version),
  )
}

function check({ source_branch, target_branch }: NewMergeRequest): void {
  if (!isBranchName(source_branch)) throw new CannotLand('Source branch is not a valid branch name')
  if (!isBranchName(target_branch)) throw new CannotLand('Target branch is not a valid branch name')
}

/** One of a branch and target is open at a time; where forks that are gone had branches of one name, the number is added. */
function freeBranch({ ctx, projectId }: ImportTarget, given: NewMergeRequest): string {
  const { source_branch, target_branch, state, iid } = given
  const open = `SELECT 1 FROM merge_requests WHERE source_project_id = ? AND source_branch = ? AND project_id = ?
    AND target_branch = ? AND state = 'opened' AND iid <> ?`
  const isTaken =
    state === 'opened' &&
    ctx.db.one(open, projectId, source_branch, projectId, target_branch, iid) !== undefined
  return isTaken ? `${source_branch}-${iid}` : source_branch
}

function insert(target: ImportTarget, given: NewMergeRequest, version: Version | null): number {
  const { ctx, projectId } = target
  const taken = 'SELECT 1 FROM merge_requests WHERE project_id = ? AND iid = ?'
  if (ctx.db.one(taken, projectId, given.iid)) throw new CannotLand('Iid has already been taken')
  keepIid(ctx.db, { project_id: projectId }, 'merge_requests', given.iid)
  const columns = plannedColumns(target, given)
  const { id } = ctx.db.run(
    q.insertInto('merge_requests').values({
      ...columns,
      title: given.draft ? titleOf(draftTitle(columns.title), columns.title) : columns.title,
      project_id: projectId,
      source_project_id: projectId,
      source_branch: given.source_branch,
      target_branch: given.target_branch,
      state: given.state,
      head_sha: version?.head ?? null,
      prepared_at: columns.created_at,
      ...mergedColumns(given),
    }),
  )
  plan(target, { kind: 'MergeRequest', id }, given)
  insertReviewers(
    target,
    id,
    (given.reviewers ?? []).map((one) => accountOf(target, one)),
    columns.created_at,
  )
  if (version) writeVersion(target, id, version, columns.created_at)
  return id
}

function mergedColumns({ state, merged_at, updated_at, created_at, merge_commit_sha }: NewMergeRequest) {
  if (state !== 'merged') return {}
  return {
    merged_at: maybeTime(merged_at ?? updated_at ?? created_at),
    merge_status: 'can_be_merged' as const,
    merge_commit_sha: merge_commit_sha && isObjectId(merge_commit_sha) ? merge_commit_sha : null,
  }
}

/** The title of the same thing as a draft (spec core 5.1). */
function draftTitle(title: string): string {
  return /^(?:\[draft\]|\(draft\)|draft:)/i.test(title) ? title : `Draft: ${title}`
}
