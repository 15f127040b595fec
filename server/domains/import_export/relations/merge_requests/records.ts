import type { Selectable } from 'kysely'

import type { MergeRequestsTable } from '../../../../db/schema.gen.ts'
import { assigneeRecords } from '../children/assignees.ts'
import { awardRecords } from '../children/award_emoji.ts'
import { eventRecords } from '../children/feed.ts'
import { labelLinkRecords } from '../children/label_links.ts'
import { milestoneRecord } from '../children/milestone.ts'
import { noteRecords } from '../children/notes.ts'
import { resourceEventRecords } from '../children/resource_events.ts'
import { timelogRecords } from '../children/timelogs.ts'
import type { DiffOfPair, Fields, Source } from '../relation.ts'
import { CommitLine, diffRecord, DiffLine } from './diff-records.ts'
import { approvalRecords, reviewerRecords } from './people.ts'

type Stored = Selectable<MergeRequestsTable>

/** A merge request with its newest version, where it has one. */
export interface RequestRow extends Stored {
  readonly diff_state: string | null
  readonly diff_head: string | null
  readonly diff_base: string | null
  readonly diff_start: string | null
  readonly diff_size: string | null
  readonly diff_commits: number | null
  readonly diff_created_at: string | null
}

const SELECT = `
  SELECT r.*, d.state AS diff_state, d.head_commit_sha AS diff_head, d.base_commit_sha AS diff_base,
    d.start_commit_sha AS diff_start, d.real_size AS diff_size, d.commits_count AS diff_commits,
    d.created_at AS diff_created_at
  FROM merge_requests r LEFT JOIN merge_request_diffs d ON d.id = r.latest_diff_id
  WHERE r.project_id = ? ORDER BY r.id`

/** The merge requests of a project, oldest first. Git is asked for all versions by one process, a little ahead. */
export async function* mergeRequestRecords(from: Source): AsyncGenerator<Fields> {
  const rows = (): IterableIterator<RequestRow> => from.db.each<RequestRow>(SELECT, from.owner.id)
  const diffs = new DiffLine(from, rows())
  const commits = new CommitLine(from, rows())
  try {
    for (const row of rows()) {
      const diff = await diffs.next(row)
      const version = row.latest_diff_id === null ? null : diffRecord(row, diff, await commits.next(row))
      yield {
        ...requestRecord(row),
        ...childrenOfRequest(from, row),
        merge_request_diff: version,
        metrics: metricsRecord(row, diff),
      }
    }
  } finally {
    await diffs.end()
    await commits.end()
  }
}

function requestRecord(row: RequestRow): Fields {
  return {
    iid: row.iid,
    title: row.title,
    description: row.description,
    state: row.state,
    draft: row.draft === 1,
    source_branch: row.source_branch,
    target_branch: row.target_branch,
    source_project_id: row.source_project_id,
    target_project_id: row.project_id,
    author_id: row.author_id,
    merge_status: row.merge_status,
    updated_by_id: row.updated_by_id,
    merge_error: row.merge_error,
    merge_params: paramsRecord(row),
    merge_user_id: row.merge_user_id,
    merge_commit_sha: row.merge_commit_sha,
    squash_commit_sha: row.squash_commit_sha,
    in_progress_merge_commit_sha: null,
    rebase_commit_sha: null,
    merge_ref_sha: null,
    lock_version: 0,
    approvals_before_merge: row.approvals_before_merge,
    time_estimate: row.time_estimate,
    squash: row.squash,
    last_edited_at: row.last_edited_at,
    last_edited_by_id: row.last_edited_by_id,
    discussion_locked: row.discussion_locked === null ? null : row.discussion_locked,
    allow_maintainer_to_push: row.allow_collaboration,
    diff_head_sha: row.diff_head ?? row.head_sha,
    source_branch_sha: row.diff_head ?? row.head_sha,
    target_branch_sha: row.diff_start,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}

/** Choices for the merge, as clients of this API family keep them. */
function paramsRecord(row: RequestRow): Fields {
  const flags = {
    force_remove_source_branch: row.force_remove_source_branch,
    should_remove_source_branch: row.should_remove_source_branch,
  }
  const set = Object.entries(flags).filter(([, value]) => value !== null)
  return Object.fromEntries(set.map(([name, value]) => [name, value === true ? '1' : '0']))
}

function childrenOfRequest(from: Source, row: RequestRow): Fields {
  const subject = { type: 'MergeRequest' as const, id: row.id }
  return {
    approvals: approvalRecords(from, row.id),
    award_emoji: awardRecords(from, subject),
    merge_request_assignees: assigneeRecords(from, subject),
    merge_request_reviewers: reviewerRecords(from, row.id),
    notes: noteRecords(from, subject),
    events: eventRecords(from, subject),
    timelogs: timelogRecords(from, subject),
    label_links: labelLinkRecords(from, subject),
    milestone: milestoneRecord(from, row.milestone_id),
    ...resourceEventRecords(from, subject),
  }
}

/** What others keep apart and we with the merge request: who ended it and when, and how large it is. */
function metricsRecord(row: RequestRow, diff: DiffOfPair | null): Fields {
  const lines = (sign: string, header: string): number | null =>
    diff && diff.files.reduce((sum, file) => sum + countLines(file.diff, sign, header), 0)
  return {
    latest_closed_by_id: row.closed_by_id,
    latest_closed_at: row.closed_at,
    merged_by_id: row.state === 'merged' ? row.merge_user_id : null,
    merged_at: row.merged_at,
    latest_build_started_at: null,
    latest_build_finished_at: null,
    first_deployed_to_production_at: null,
    first_comment_at: null,
    first_commit_at: null,
    last_commit_at: null,
    first_approved_at: null,
    first_reassigned_at: null,
    diff_size: diff && diff.files.reduce((sum, file) => sum + file.diff.split('\n').length - 1, 0),
    modified_paths_size: diff && diff.files.length,
    commits_count: row.diff_commits,
    added_lines: lines('+', '+++'),
    removed_lines: lines('-', '---'),
    target_project_id: row.project_id,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}

function countLines(diff: string, sign: string, header: string): number {
  return diff.split('\n').filter((line) => line.startsWith(sign) && !line.startsWith(`${header} `)).length
}
