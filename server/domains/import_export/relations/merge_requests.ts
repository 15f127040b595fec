import { childOf, childrenOf, iidOf, choiceOf, requiredText, shaOf, timeOf } from './checked.ts'
import * as field from './columns.ts'
import { columnsOf, recordOf, type ColumnMap } from './columns.ts'
import { issuableFields, importIssuableParts } from './issuable-parts.ts'
import { CommitReader, DiffReader, importVersion, versionRecord } from './merge-request-versions.ts'
import {
  relation,
  importEach,
  UnusableRecord,
  type VersionDiff,
  type Fields,
  type Row,
  type Source,
  type Target,
} from './relation.ts'
import { countOf, dependentRows } from './store.ts'
import { requestsOf, type RequestRow } from './store-planning.ts'

const MAX_TITLE = 255

const sharedFields = issuableFields('MergeRequest')
/** Options for the source branch, which archives contain as texts. */
const REMOVAL_FLAGS = ['force_remove_source_branch', 'should_remove_source_branch'] as const

const APPROVAL_FIELDS: ColumnMap = {
  user_id: field.person(),
  created_at: field.timeOrNow(),
  updated_at: field.exported('created_at'),
}

/** States of reviewers who have reviewed, as words or as the numbers of older releases. */
const REVIEWED: readonly Fields[string][] = ['reviewed', 'requested_changes', 'approved', 1, 2, 3]
const REVIEWER_FIELDS: ColumnMap = {
  user_id: field.person(),
  state: field.column((record, name) =>
    REVIEWED.includes(record[name] ?? null) ? 'reviewed' : 'unreviewed',
  ),
  created_at: field.timeOrNow(),
}

/** `sourceColumns` and `stateColumns` compute the columns that depend on several fields. */
const FIELDS: ColumnMap<RequestRow> = {
  iid: field.column(iidOf),
  title: field.column(titleOf),
  description: field.text(),
  state: field.exported(),
  draft: field.computed<RequestRow>((row) => row.draft === 1),
  source_branch: field.required(255),
  target_branch: field.required(255),
  source_project_id: field.exported(),
  target_project_id: field.exported('project_id'),
  author_id: field.person(),
  merge_status: field.exported(),
  updated_by_id: field.optionalPerson(),
  merge_error: field.text(),
  merge_params: { write: paramsRecord, read: paramColumns },
  merge_user_id: field.exported(),
  merge_commit_sha: field.exported(),
  squash_commit_sha: field.sha(),
  in_progress_merge_commit_sha: field.constant(null),
  rebase_commit_sha: field.constant(null),
  merge_ref_sha: field.constant(null),
  lock_version: field.constant(0),
  approvals_before_merge: field.integer({ min: 0, max: 100 }),
  time_estimate: field.integer({ min: 0 }, 0),
  squash: field.flag(),
  last_edited_at: field.time(),
  last_edited_by_id: field.optionalPerson(),
  discussion_locked: field.optionalFlag(),
  allow_maintainer_to_push: field.exported('allow_collaboration'),
  diff_head_sha: field.computed<RequestRow>((row) => row.diff_head ?? row.head_sha),
  source_branch_sha: field.computed<RequestRow>((row) => row.diff_head ?? row.head_sha),
  target_branch_sha: field.exported('diff_start'),
  created_at: field.timeOrNow(),
  updated_at: field.updatedAt(),
  approvals: field.computed<RequestRow>((row, source) =>
    dependentRows(source, 'approvals', { key: 'merge_request_id', id: row.id }).map((part) =>
      recordOf(APPROVAL_FIELDS, part, source),
    ),
  ),
  award_emoji: sharedFields.award_emoji,
  merge_request_assignees: sharedFields.assignees,
  merge_request_reviewers: field.computed<RequestRow>((row, source) =>
    dependentRows(source, 'merge_request_reviewers', {
      key: 'merge_request_id',
      id: row.id,
      order: 'user_id',
    }).map((part) => recordOf(REVIEWER_FIELDS, part, source)),
  ),
  notes: sharedFields.notes,
  events: sharedFields.events,
  timelogs: sharedFields.timelogs,
  ...sharedFields.planning,
}

/** Merge requests with their discussions, approvals and newest version. */
export const merge_requests = relation({
  name: 'merge_requests',
  ownerKinds: ['project'],
  records: requestRecords,
  count: (source) => countOf(source, 'merge_requests'),
  importRecord: importMergeRequest,
})

/** The records of merge requests. One git process reads the diffs of all versions, slightly ahead. */
async function* requestRecords(source: Source): AsyncGenerator<Fields> {
  const diffs = new DiffReader(source, requestsOf(source))
  const commits = new CommitReader(source, requestsOf(source))
  try {
    for (const row of requestsOf(source)) {
      const diff = await diffs.next(row)
      const merge_request_diff =
        row.latest_diff_id === null ? null : versionRecord(row, diff, await commits.next(row))
      yield { ...recordOf(FIELDS, row, source), merge_request_diff, metrics: metricsRecord(row, diff) }
    }
  } finally {
    await diffs.close()
    await commits.close()
  }
}

/** Values that other instances store separately: who closed or merged the merge request and when, and its size. */
function metricsRecord(row: RequestRow, diff: VersionDiff | null): Fields {
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

function importMergeRequest(record: Fields, target: Target): void {
  const columns = columnsOf(FIELDS, record, target)
  const id = target.insert('merge_requests', {
    project_id: target.owner.id,
    ...columns,
    prepared_at: columns['created_at']!,
    ...sourceColumns(record, target),
    ...stateColumns(record, target, String(columns['updated_at'])),
  })
  const [iid, title] = [Number(columns['iid']), String(columns['title'])]
  target.remember('merge_request', iid, id)
  const diff_id = importVersion(record, target, id)
  importEach(target, 'approvals', childrenOf(record, 'approvals'), (approval) => {
    const approved = { diff_id, target_branch: columns['target_branch']! }
    target.link('approvals', {
      merge_request_id: id,
      ...approved,
      ...columnsOf(APPROVAL_FIELDS, approval, target),
    })
  })
  importEach(target, 'merge_request_reviewers', childrenOf(record, 'merge_request_reviewers'), (reviewer) => {
    target.link('merge_request_reviewers', {
      merge_request_id: id,
      ...columnsOf(REVIEWER_FIELDS, reviewer, target),
    })
  })
  importIssuableParts(record, target, { type: 'MergeRequest', id, iid, title })
  // Archives of older releases name a single assignee.
  const user_id = field.personIn(record, 'assignee_id', target)
  if (user_id !== null) target.link('merge_request_assignees', { merge_request_id: id, user_id })
}

/** The title, with a prefix for drafts. */
function titleOf(record: Fields): string {
  const title = requiredText(record, 'title', 1024).slice(0, MAX_TITLE)
  if (record['draft'] !== true && record['work_in_progress'] !== true) return title
  const titleWithoutWip = title.replace(/^\s*(?:\[wip\]|wip:|wip)\s*/i, '')
  return /^(?:\[draft\]|\(draft\)|draft:)/i.test(titleWithoutWip)
    ? titleWithoutWip
    : `Draft: ${titleWithoutWip}`.slice(0, MAX_TITLE)
}

function paramsRecord(row: RequestRow): Fields {
  const set = REMOVAL_FLAGS.filter((name) => row[name] !== null)
  return Object.fromEntries(set.map((name) => [name, row[name] === true ? '1' : '0']))
}

function paramColumns(record: Fields): Row {
  const params = childOf(record, 'merge_params') ?? {}
  const flags = REMOVAL_FLAGS.map((name) => {
    const value = params[name] ?? null
    return [name, value === null ? null : value === true || value === '1' || value === 'true'] as const
  })
  return Object.fromEntries(flags)
}

/**
 * The columns of the source. Archives do not contain forks, so an open merge request from a fork has no source until a
 * branch is created from its commits (spec administration 6.5).
 */
function sourceColumns(record: Fields, target: Target): Row {
  const sourceId = record['source_project_id']
  const isFromFork = sourceId !== record['target_project_id'] && sourceId !== undefined
  const needsBranch = isFromFork && stateOf(record) === 'opened'
  return {
    source_project_id: needsBranch ? null : target.owner.id,
    head_sha: shaOf(record, 'diff_head_sha') ?? shaOf(record, 'source_branch_sha'),
    allow_collaboration: needsBranch && record['allow_maintainer_to_push'] === true,
  }
}

function stateOf(record: Fields): 'opened' | 'closed' | 'merged' {
  // A merge that was running at the time of the export is not repeated.
  if (record['state'] === 'locked' || record['state'] === 'reopened') return 'opened'
  const state = choiceOf(record, 'state', ['opened', 'closed', 'merged'], 'opened')
  if (record['state'] !== undefined && record['state'] !== state)
    throw new UnusableRecord('state is not included in the list')
  return state
}

/** The columns of the state. The merge status of an unmerged merge request is checked again after the import. */
function stateColumns(record: Fields, target: Target, updated_at: string): Row {
  const state = stateOf(record)
  const metrics = childOf(record, 'metrics') ?? {}
  if (state === 'merged')
    return {
      state,
      merge_status: 'can_be_merged',
      merged_at: timeOf(metrics, 'merged_at') ?? updated_at,
      merge_user_id:
        field.personIn(metrics, 'merged_by_id', target) ?? field.personIn(record, 'merge_user_id', target),
      merge_commit_sha: shaOf(record, 'merge_commit_sha'),
    }
  const closed = state === 'closed'
  return {
    state,
    merge_status: 'unchecked',
    closed_at: closed ? (timeOf(metrics, 'latest_closed_at') ?? updated_at) : null,
    closed_by_id: closed ? field.personIn(metrics, 'latest_closed_by_id', target) : null,
    merge_commit_sha: null,
  }
}
