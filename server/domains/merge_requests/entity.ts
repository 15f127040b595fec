import { z } from 'zod'

import { entity, entitySchemas, time, type Entity, type Presentation } from '../../http/entity.ts'
import type { PipelineView } from '../ci/index.ts'
import { Pipeline, PipelineBasic } from '../ci/pipelines/entity.ts'
import { references, taskCompletion, timeStats } from '../planning/index.ts'
import { LabelBasic } from '../planning/labels/entity.ts'
import { Milestone } from '../planning/milestones/entity.ts'
import { Commit, type CommitRow } from '../repository/commits/entity.ts'
import { UserBasic } from '../users/entity.ts'
import type { MergeRequestSingleView, MergeRequestView, ReviewerView } from './types.ts'

/** The fields of `view=simple`. */
export const simpleFields = {
  id: z.int(),
  iid: z.int(),
  project_id: z.int(),
  title: z.string(),
  description: z.string().nullable(),
  state: z.string(),
  created_at: time(),
  updated_at: time(),
  web_url: z.string(),
}

/** Presents the fields of `view=simple`. */
export function simpleView({ request, path }: Pick<MergeRequestView, 'request' | 'path'>, at: Presentation) {
  return {
    id: request.id,
    iid: request.iid,
    project_id: request.project_id,
    title: request.title,
    description: request.description,
    state: request.state,
    created_at: request.created_at,
    updated_at: request.updated_at,
    web_url: `${at.url}/${path}/-/merge_requests/${request.iid}`,
  }
}

const htmlFields = { title_html: z.string().optional(), description_html: z.string().optional() }

/** The fields of lists, in the contract's order. */
export const mergeRequestFields = {
  id: z.int(),
  iid: z.int(),
  project_id: z.int(),
  title: z.string(),
  description: z.string().nullable(),
  state: z.enum(['opened', 'closed', 'locked', 'merged']),
  created_at: time(),
  updated_at: time(),
  ...htmlFields,
  merged_by: UserBasic.schema.nullable(),
  merge_user: UserBasic.schema.nullable(),
  merged_at: time().nullable(),
  closed_by: UserBasic.schema.nullable(),
  closed_at: time().nullable(),
  target_branch: z.string(),
  source_branch: z.string(),
  user_notes_count: z.int(),
  upvotes: z.int(),
  downvotes: z.int(),
  author: UserBasic.schema,
  assignees: z.array(UserBasic.schema),
  assignee: UserBasic.schema.nullable(),
  reviewers: z.array(UserBasic.schema),
  source_project_id: z.int().nullable(),
  target_project_id: z.int(),
  labels: z.union([z.array(z.string()), z.array(LabelBasic.schema)]),
  draft: z.boolean(),
  work_in_progress: z.boolean(),
  milestone: Milestone.schema.nullable(),
  merge_when_pipeline_succeeds: z.boolean(),
  merge_status: z.string(),
  detailed_merge_status: z.string(),
  sha: z.string().nullable(),
  merge_commit_sha: z.string().nullable(),
  squash_commit_sha: z.string().nullable(),
  discussion_locked: z.boolean().nullable(),
  should_remove_source_branch: z.boolean().nullable(),
  force_remove_source_branch: z.boolean().nullable(),
  prepared_at: time().nullable(),
  allow_collaboration: z.boolean(),
  allow_maintainer_to_push: z.boolean(),
  reference: z.string(),
  references: z.object({ short: z.string(), relative: z.string(), full: z.string() }),
  web_url: z.string(),
  time_stats: z.object({
    time_estimate: z.int(),
    total_time_spent: z.int(),
    human_time_estimate: z.string().nullable(),
    human_total_time_spent: z.string().nullable(),
  }),
  squash: z.boolean(),
  task_completion_status: z.object({ count: z.int(), completed_count: z.int() }),
  has_conflicts: z.boolean(),
  blocking_discussions_resolved: z.boolean(),
  approvals_before_merge: z.int().nullable(),
}

/** The API shows the internal status `preparing` as `checking`. */
function mergeStatus(status: string): string {
  return status === 'preparing' ? 'checking' : status
}

/** Presents the fields of lists. */
export function mergeRequestView(view: MergeRequestView, at: Presentation) {
  const { request, labels } = view
  const basic = (user: Parameters<typeof UserBasic.present>[0] | undefined) =>
    user ? UserBasic.present(user, at) : null
  const assignees = view.assignees.map((user) => UserBasic.present(user, at))
  const { web_url, ...texts } = simpleView(view, at)
  const isFromFork = request.source_project_id !== request.project_id
  const collaborates = isFromFork && request.allow_collaboration
  const names = references('MergeRequest', request.iid, view.path, view.relativeTo)
  const isDraft = request.draft === 1
  return {
    ...texts,
    state: request.state,
    ...view.html,
    merged_by: request.state === 'merged' ? basic(view.merge_user) : null,
    merge_user: basic(view.merge_user),
    merged_at: request.merged_at,
    closed_by: basic(view.closed_by),
    closed_at: request.closed_at,
    target_branch: request.target_branch,
    source_branch: request.source_branch,
    user_notes_count: request.user_notes_count,
    upvotes: request.upvotes,
    downvotes: request.downvotes,
    author: UserBasic.present(view.author, at),
    assignees,
    assignee: assignees[0] ?? null,
    reviewers: view.reviewers.map((user) => UserBasic.present(user, at)),
    source_project_id: request.source_project_id,
    target_project_id: request.project_id,
    labels: view.labelDetails
      ? labels.map((label) => LabelBasic.present(label, at))
      : labels.map((label) => label.title),
    draft: isDraft,
    work_in_progress: isDraft,
    milestone: view.milestone ? Milestone.present(view.milestone, at) : null,
    merge_when_pipeline_succeeds: request.merge_when_pipeline_succeeds,
    merge_status: mergeStatus(request.merge_status),
    detailed_merge_status: view.detailed_merge_status,
    sha: request.head_sha,
    merge_commit_sha: request.merge_commit_sha,
    squash_commit_sha: request.squash_commit_sha,
    discussion_locked: request.discussion_locked,
    should_remove_source_branch: request.should_remove_source_branch,
    force_remove_source_branch: request.force_remove_source_branch,
    prepared_at: request.prepared_at,
    allow_collaboration: collaborates,
    allow_maintainer_to_push: collaborates,
    reference: names.short,
    references: names,
    web_url,
    time_stats: timeStats(request, at.inHours),
    squash: request.squash,
    task_completion_status: taskCompletion(request.description),
    has_conflicts: request.merge_status === 'cannot_be_merged',
    blocking_discussions_resolved: view.blocking_discussions_resolved,
    approvals_before_merge: view.approvals_before_merge,
  }
}

const sha = z.string().nullable()

/** The fields of a single merge request: those of lists and more. */
export const singleFields = {
  ...mergeRequestFields,
  subscribed: z.boolean(),
  changes_count: z.string().nullable(),
  latest_build_started_at: time().nullable(),
  latest_build_finished_at: time().nullable(),
  first_deployed_to_production_at: time().nullable(),
  pipeline: PipelineBasic.schema.nullable().optional(),
  head_pipeline: Pipeline.schema.nullable().optional(),
  diff_refs: z.object({ base_sha: sha, head_sha: sha, start_sha: sha }).nullable(),
  merge_error: z.string().nullable(),
  user: z.object({ can_merge: z.boolean() }),
  diverged_commits_count: z.int().optional(),
  rebase_in_progress: z.boolean().optional(),
  first_contribution: z.boolean().optional(),
}

/** Presents the head pipeline in short and in full. Both are absent for readers who may not see pipelines. */
function pipelinesView(head: PipelineView | null | undefined, at: Presentation) {
  if (head === undefined) return {}
  return {
    pipeline: head && PipelineBasic.present(head, at),
    head_pipeline: head && Pipeline.present(head, at),
  }
}

/** Presents the fields of a single merge request, also for entities that add some. */
export function singleView(view: MergeRequestSingleView, at: Presentation) {
  const { request, diff } = view
  const optional = {
    diverged_commits_count: view.diverged_commits_count,
    rebase_in_progress: view.rebase_in_progress,
    first_contribution: view.first_contribution,
  }
  const values = Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined))
  return {
    ...mergeRequestView(view, at),
    subscribed: view.subscribed,
    changes_count: diff?.real_size ?? null,
    latest_build_started_at: view.head_pipeline?.row.started_at ?? null,
    latest_build_finished_at: view.head_pipeline?.row.finished_at ?? null,
    first_deployed_to_production_at: view.first_deployed_to_production_at,
    ...pipelinesView(view.head_pipeline, at),
    diff_refs: diff
      ? {
          base_sha: diff.base_commit_sha,
          head_sha: diff.head_commit_sha,
          start_sha: diff.start_commit_sha,
        }
      : null,
    merge_error: request.merge_error,
    user: { can_merge: view.can_merge },
    ...(values as Partial<typeof optional>),
  }
}

/** A merge request with few fields (spec core 5.1, `view=simple`). */
export const MergeRequestSimple = entity(
  'MergeRequestSimple',
  simpleFields,
  (view: Pick<MergeRequestView, 'request' | 'path'>, at) => simpleView(view, at),
)

/** A merge request as lists show it. */
export const MergeRequestBasic = entity('MergeRequestBasic', mergeRequestFields, mergeRequestView)

/** One merge request (spec core 5.1, "MR single"). */
export const MergeRequest = entity('MergeRequest', singleFields, singleView)

/** A reviewer of a merge request (spec core 5.2). */
export const Reviewer = entity(
  'MergeRequestReviewer',
  { user: UserBasic.schema, state: z.enum(['unreviewed', 'reviewed']), created_at: time() },
  (row: ReviewerView, at) => ({
    user: UserBasic.present(row.user, at),
    state: row.state as 'unreviewed' | 'reviewed',
    created_at: row.created_at,
  }),
)

const schema = z.array(Commit.schema)
entitySchemas.add(schema, { id: 'CommitList' })

/** A list of commits without paging. */
export const CommitList: Entity<readonly CommitRow[], z.output<typeof schema>> = {
  name: 'CommitList',
  schema,
  present: (rows, at) => rows.map((row) => Commit.present(row, at)),
}
