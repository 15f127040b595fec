import type { Ctx } from '../../../ctx.ts'
import { mergeRequestById, type MergeRequestRow, showMergeRequests } from '../../merge_requests/index.ts'
import { assigneeIdsOf } from '../../planning/index.ts'
import { type Project, projectById } from '../../projects/index.ts'
import type { HookEvent } from '../recording/hook-event.ts'
import {
  commitBlock,
  hookTime,
  labelBlocks,
  projectBlock,
  projectUrl,
  repositoryBlock,
  userBlockOf,
  userBlocks,
  withUploads,
} from './blocks.ts'
import { timesOf } from './issue.ts'
import { type PlanningChanges, changesInEvent, STATE_IDS, timeSpent } from './planning-changes.ts'

/** The `action` of merge request events. */
export type MergeRequestAction =
  | 'open'
  | 'close'
  | 'reopen'
  | 'update'
  | 'merge'
  | 'approved'
  | 'unapproved'
  | 'approval'
  | 'unapproval'

const optionalTime = (value: string | null): string | null => value && hookTime(value)

/** A merge request in events about it and about its notes (spec administration 3.9), without `action`. */
export async function mergeRequestAttributes(
  ctx: Ctx,
  project: Project,
  row: MergeRequestRow,
  changes: PlanningChanges = {},
) {
  const [view] = await showMergeRequests(ctx, [row])
  const source = row.source_project_id === null ? undefined : projectById(ctx.db, row.source_project_id)
  const assignee_ids = assigneeIdsOf(ctx.db, 'MergeRequest', row.id)
  return {
    id: row.id,
    iid: row.iid,
    target_branch: row.target_branch,
    source_branch: row.source_branch,
    source_project_id: row.source_project_id,
    target_project_id: row.project_id,
    author_id: row.author_id,
    assignee_id: assignee_ids[0] ?? null,
    assignee_ids,
    reviewer_ids: view!.reviewers.map((user) => user.id),
    title: row.title,
    description: withUploads(ctx, project, row.description),
    created_at: hookTime(row.created_at),
    updated_at: hookTime(row.updated_at),
    milestone_id: row.milestone_id,
    state_id: STATE_IDS[row.state]!,
    state: row.state,
    merge_status: row.merge_status,
    detailed_merge_status: view!.detailed_merge_status,
    merge_error: row.merge_error,
    merge_params: mergeParams(row),
    merge_user_id: row.merge_user_id,
    merge_when_pipeline_succeeds: row.merge_when_pipeline_succeeds,
    merge_commit_sha: row.merge_commit_sha,
    head_pipeline_id: row.head_pipeline_id,
    last_edited_at: optionalTime(row.last_edited_at),
    last_edited_by_id: row.last_edited_by_id,
    updated_by_id: row.updated_by_id,
    ...timesOf(ctx, row, timeSpent(changes)),
    blocking_discussions_resolved: view!.blocking_discussions_resolved,
    work_in_progress: row.draft === 1,
    draft: row.draft === 1,
    labels: labelBlocks(
      ctx,
      view!.labels.map((label) => label.id),
    ),
    source: source ? projectBlock(ctx, source) : null,
    target: projectBlock(ctx, project),
    last_commit: await lastCommit(ctx, row, [project, ...(source ? [source] : [])]),
    url: `${projectUrl(ctx, project)}/-/merge_requests/${row.iid}`,
  }
}

/** The merge options that were set. */
function mergeParams(row: MergeRequestRow) {
  return {
    force_remove_source_branch: row.force_remove_source_branch === true,
    ...(row.should_remove_source_branch === null
      ? {}
      : { should_remove_source_branch: row.should_remove_source_branch }),
    ...(row.merge_when_pipeline_succeeds
      ? { auto_merge_strategy: 'merge_when_pipeline_succeeds', sha: row.head_sha }
      : {}),
  }
}

/** The head of the source branch, from the first of the projects that has the commit. */
async function lastCommit(ctx: Ctx, { head_sha }: MergeRequestRow, projects: readonly Project[]) {
  if (head_sha === null) return null
  for (const project of projects) {
    const commit = await commitBlock(ctx, project, head_sha)
    if (commit) return commit
  }
  return null
}

/** An event about a merge request. */
export interface MergeRequestEventData {
  readonly action: MergeRequestAction
  readonly changes: PlanningChanges
  readonly actor_id: number | null
  /** The previous head, if there are new commits. */
  readonly oldrev?: string | null | undefined
}

/** Makes the event of a change of a merge request (spec administration 3.9). Null if it is deleted. */
export async function mergeRequestEvent(
  ctx: Ctx,
  id: number,
  event: MergeRequestEventData,
): Promise<HookEvent | null> {
  const row = mergeRequestById(ctx.db, id)
  const project = row && projectById(ctx.db, row.project_id)
  if (!project) return null
  const attributes = await mergeRequestAttributes(ctx, project, row, event.changes)
  const { labels, assignee_ids, reviewer_ids } = attributes
  const current = { attributes, assignee_ids, reviewer_ids, label_ids: labels.map((label) => label.id) }
  const payload = {
    object_kind: 'merge_request',
    event_type: 'merge_request',
    user: userBlockOf(ctx, event.actor_id) ?? userBlockOf(ctx, row.author_id),
    project: projectBlock(ctx, project),
    object_attributes: {
      ...attributes,
      action: event.action,
      ...(event.oldrev ? { oldrev: event.oldrev } : {}),
    },
    labels,
    changes: changesInEvent(ctx, project, current, event.changes),
    repository: repositoryBlock(ctx, project),
    assignees: userBlocks(ctx, assignee_ids),
    reviewers: userBlocks(ctx, reviewer_ids),
  }
  return { kind: 'merge_request', project_id: project.id, ref: null, payload }
}
