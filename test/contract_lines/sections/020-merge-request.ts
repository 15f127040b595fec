import { expect } from 'vitest'

import { hasFields, section, line, type Fields } from '../section.ts'

const fields: Fields = {
  id: 'integer',
  iid: 'integer',
  project_id: 'integer',
  title: 'string',
  description: 'string?',
  state: 'string',
  merged_by: 'object?',
  merge_user: 'object?',
  merged_at: 'timestamp?',
  closed_by: 'object?',
  closed_at: 'timestamp?',
  created_at: 'timestamp',
  updated_at: 'timestamp',
  target_branch: 'string',
  source_branch: 'string',
  upvotes: 'integer',
  downvotes: 'integer',
  author: 'object',
  assignee: 'object?',
  assignees: 'array',
  reviewers: 'array',
  source_project_id: 'integer',
  target_project_id: 'integer',
  labels: 'array',
  draft: 'boolean',
  work_in_progress: 'boolean',
  milestone: 'object?',
  merge_when_pipeline_succeeds: 'boolean',
  merge_status: 'string',
  detailed_merge_status: 'string',
  sha: 'string',
  merge_commit_sha: 'string?',
  squash_commit_sha: 'string?',
  user_notes_count: 'integer',
  discussion_locked: 'boolean?',
  should_remove_source_branch: 'boolean?',
  force_remove_source_branch: 'boolean?',
  web_url: 'string',
  references: 'object',
  time_stats: 'object',
  squash: 'boolean',
  task_completion_status: 'object',
  approvals_before_merge: 'integer?',
}

export const statements = section(
  'Merge request',
  async (w, root) => {
    const project = await w.make.project({ with: 'readme' })
    const at = `/projects/${project.id}`
    await root.post(`${at}/repository/branches`, { branch: 'topic', ref: 'main' })
    await root.post(`${at}/repository/files/new.txt`, {
      branch: 'topic',
      content: 'x',
      commit_message: 'New',
    })
    const { body: milestone } = await root.post(`${at}/milestones`, { title: 'one' })
    const { body } = await root.post(`${at}/merge_requests`, {
      source_branch: 'topic',
      target_branch: 'main',
      title: 'Topic',
      labels: 'a,b',
      milestone_id: milestone.id,
      description: '- [x] done',
    })
    await w.drain()
    return { at, body, single: async () => (await root.get(`${at}/merge_requests/${body.iid}`)).body }
  },
  [
    line(
      'Fields: id, iid, project_id, title, description, state (`opened`, `closed`, `locked`, `merged`), merged_by (deprecated, replaced by merge_user), merge_user, merged_at, closed_by, closed_at, created_at, updated_at, target_branch, source_branch, upvotes, downvotes, author, assignee, assignees, reviewers (user summaries), source_project_id, target_project_id, labels (array of strings), draft, work_in_progress, milestone (id, iid, project_id, title, description, state, created_at, updated_at, due_date, start_date, web_url), merge_when_pipeline_succeeds, merge_status (deprecated), detailed_merge_status, merge_error, sha, merge_commit_sha, squash_commit_sha, user_notes_count, discussion_locked, should_remove_source_branch, force_remove_source_branch, allow_collaboration, allow_maintainer_to_push, web_url, references `{short, relative, full}`, time_stats `{time_estimate, total_time_spent, human_time_estimate, human_total_time_spent}`, squash, task_completion_status `{count, completed_count}`. Single-object responses add: subscribed, changes_count (string), latest_build_started_at, latest_build_finished_at, first_deployed_to_production_at, pipeline `{id, sha, ref, status, web_url}`, diff_refs `{base_sha, head_sha, start_sha}`, diverged_commits_count. With a paid plan, approvals_before_merge is also returned.',
      'GET /projects/:id/merge_requests/:iid → these fields',
      async ({ single }) => {
        const body = await single()
        hasFields(body, {
          ...fields,
          merge_error: 'string?',
          subscribed: 'boolean',
          changes_count: 'string',
          latest_build_started_at: 'any',
          latest_build_finished_at: 'any',
          first_deployed_to_production_at: 'any',
          pipeline: 'any',
          diff_refs: 'object',
        })
        hasFields(body.milestone, {
          id: 'integer',
          iid: 'integer',
          project_id: 'integer',
          title: 'string',
          description: 'string?',
          state: 'string',
          created_at: 'timestamp',
          updated_at: 'timestamp',
          due_date: 'date?',
          start_date: 'date?',
          web_url: 'string',
        })
        hasFields(body.references, { short: 'string', relative: 'string', full: 'string' })
        hasFields(body.time_stats, {
          time_estimate: 'integer',
          total_time_spent: 'integer',
          human_time_estimate: 'string?',
          human_total_time_spent: 'string?',
        })
        expect(body.task_completion_status).toEqual({ count: 1, completed_count: 1 })
        expect(body.labels).toEqual(['a', 'b'])
        hasFields(body.diff_refs, { base_sha: 'string', head_sha: 'string', start_sha: 'string' })
      },
    ),
    line(
      '`project_id` always equals `target_project_id`; for a merge request from a fork, `source_project_id` is the fork. List responses do not proactively refresh merge_status (and has_conflicts).',
      'GET → project_id = target_project_id; list entries have merge_status',
      async ({ root, at, single }) => {
        const body = await single()
        expect(body.project_id).toBe(body.target_project_id)
        const { body: list } = await root.get(`${at}/merge_requests`)
        hasFields(list[0], fields)
      },
    ),
  ],
)
