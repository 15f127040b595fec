import { childOf, childrenOf, iidOf, oneOf, requiredText, shaOf, timeOf } from './checked.ts'
import * as field from './columns.ts'
import { columnsOf, recordOf, type ColumnMap } from './columns.ts'
import { issuableFields, importIssuableParts } from './issuable-parts.ts'
import { CommitLine, DiffLine, importVersion, versionRecord } from './merge-request-versions.ts'
import {
  relation,
  importEach,
  UnusableRecord,
  type DiffOfPair,
  type Fields,
  type Row,
  type Source,
  type Target,
} from './relation.ts'
import { countOf, partsOf } from './store.ts'
import { requestsOf, type RequestRow } from './store-planning.ts'

const MAX_TITLE = 255

const parts = issuableFields('MergeRequest')
/** Choices for the merge, which archives keep as texts. */
const REMOVALS = ['force_remove_source_branch', 'should_remove_source_branch'] as const

const APPROVAL_FIELDS: ColumnMap = {
  user_id: field.person(),
  created_at: field.timeOrNow(),
  updated_at: field.shown('created_at'),
}

/** States, as words or as the numbers of older releases, of people who have reviewed. */
const REVIEWED: readonly Fields[string][] = ['reviewed', 'requested_changes', 'approved', 1, 2, 3]
const REVIEWER_FIELDS: ColumnMap = {
  user_id: field.person(),
  state: field.column((record, name) =>
    REVIEWED.includes(record[name] ?? null) ? 'reviewed' : 'unreviewed',
  ),
  created_at: field.timeOrNow(),
}

/** Columns of the source and of the end depend on several fields: `sourceColumns`, `endColumns`. */
const FIELDS: ColumnMap<RequestRow> = {
  iid: field.column(iidOf),
  title: field.column(titleOf),
  description: field.text(),
  state: field.shown(),
  draft: field.written<RequestRow>((row) => row.draft === 1),
  source_branch: field.required(255),
  target_branch: field.required(255),
  source_project_id: field.shown(),
  target_project_id: field.shown('project_id'),
  author_id: field.person(),
  merge_status: field.shown(),
  updated_by_id: field.maybePerson(),
  merge_error: field.text(),
  merge_params: { write: paramsRecord, read: paramColumns },
  merge_user_id: field.shown(),
  merge_commit_sha: field.shown(),
  squash_commit_sha: field.sha(),
  in_progress_merge_commit_sha: field.always(null),
  rebase_commit_sha: field.always(null),
  merge_ref_sha: field.always(null),
  lock_version: field.always(0),
  approvals_before_merge: field.integer({ min: 0, max: 100 }),
  time_estimate: field.integer({ min: 0 }, 0),
  squash: field.flag(),
  last_edited_at: field.time(),
  last_edited_by_id: field.maybePerson(),
  discussion_locked: field.maybeFlag(),
  allow_maintainer_to_push: field.shown('allow_collaboration'),
  diff_head_sha: field.written<RequestRow>((row) => row.diff_head ?? row.head_sha),
  source_branch_sha: field.written<RequestRow>((row) => row.diff_head ?? row.head_sha),
  target_branch_sha: field.shown('diff_start'),
  created_at: field.timeOrNow(),
  updated_at: field.updatedAt(),
  approvals: field.written<RequestRow>((row, from) =>
    partsOf(from, 'approvals', { key: 'merge_request_id', id: row.id }).map((part) =>
      recordOf(APPROVAL_FIELDS, part, from),
    ),
  ),
  award_emoji: parts.award_emoji,
  merge_request_assignees: parts.assignees,
  merge_request_reviewers: field.written<RequestRow>((row, from) =>
    partsOf(from, 'merge_request_reviewers', { key: 'merge_request_id', id: row.id, order: 'user_id' }).map(
      (part) => recordOf(REVIEWER_FIELDS, part, from),
    ),
  ),
  notes: parts.notes,
  events: parts.events,
  timelogs: parts.timelogs,
  ...parts.planning,
}

/** Merge requests with their discussions, approvals and newest version. */
export const merge_requests = relation({
  name: 'merge_requests',
  of: ['project'],
  records: requestRecords,
  count: (from) => countOf(from, 'merge_requests'),
  importRecord: importMergeRequest,
})

/** One git process reads all versions, slightly ahead. */
async function* requestRecords(from: Source): AsyncGenerator<Fields> {
  const diffs = new DiffLine(from, requestsOf(from))
  const commits = new CommitLine(from, requestsOf(from))
  try {
    for (const row of requestsOf(from)) {
      const diff = await diffs.next(row)
      const merge_request_diff =
        row.latest_diff_id === null ? null : versionRecord(row, diff, await commits.next(row))
      yield { ...recordOf(FIELDS, row, from), merge_request_diff, metrics: metricsRecord(row, diff) }
    }
  } finally {
    await diffs.end()
    await commits.end()
  }
}

/** Columns that other instances store separately: who closed or merged the merge request and when, and its size. */
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

function importMergeRequest(record: Fields, into: Target): void {
  const columns = columnsOf(FIELDS, record, into)
  const id = into.insert('merge_requests', {
    project_id: into.owner.id,
    ...columns,
    prepared_at: columns['created_at']!,
    ...sourceColumns(record, into),
    ...endColumns(record, into, String(columns['updated_at'])),
  })
  const [iid, title] = [Number(columns['iid']), String(columns['title'])]
  into.remember('merge_request', iid, id)
  const diff_id = importVersion(record, into, id)
  importEach(into, 'approvals', childrenOf(record, 'approvals'), (approval) => {
    const approved = { diff_id, target_branch: columns['target_branch']! }
    into.link('approvals', {
      merge_request_id: id,
      ...approved,
      ...columnsOf(APPROVAL_FIELDS, approval, into),
    })
  })
  importEach(into, 'merge_request_reviewers', childrenOf(record, 'merge_request_reviewers'), (reviewer) => {
    into.link('merge_request_reviewers', {
      merge_request_id: id,
      ...columnsOf(REVIEWER_FIELDS, reviewer, into),
    })
  })
  importIssuableParts(record, into, { type: 'MergeRequest', id, iid, title })
  // Archives of older releases name a single assignee.
  const user_id = field.personIn(record, 'assignee_id', into)
  if (user_id !== null) into.link('merge_request_assignees', { merge_request_id: id, user_id })
}

/** Drafts are marked in the title. */
function titleOf(record: Fields): string {
  const title = requiredText(record, 'title', 1024).slice(0, MAX_TITLE)
  if (record['draft'] !== true && record['work_in_progress'] !== true) return title
  const plain = title.replace(/^\s*(?:\[wip\]|wip:|wip)\s*/i, '')
  return /^(?:\[draft\]|\(draft\)|draft:)/i.test(plain) ? plain : `Draft: ${plain}`.slice(0, MAX_TITLE)
}

function paramsRecord(row: RequestRow): Fields {
  const set = REMOVALS.filter((name) => row[name] !== null)
  return Object.fromEntries(set.map((name) => [name, row[name] === true ? '1' : '0']))
}

function paramColumns(record: Fields): Row {
  const params = childOf(record, 'merge_params') ?? {}
  const flags = REMOVALS.map((name) => {
    const value = params[name] ?? null
    return [name, value === null ? null : value === true || value === '1' || value === 'true'] as const
  })
  return Object.fromEntries(flags)
}

/**
 * The source. Forks are not in the archive: an open merge request from a fork has no source until a branch is created from its
 * commits (spec administration 6.5).
 */
function sourceColumns(record: Fields, into: Target): Row {
  const source = record['source_project_id']
  const isFromFork = source !== record['target_project_id'] && source !== undefined
  const waits = isFromFork && stateOf(record) === 'opened'
  return {
    source_project_id: waits ? null : into.owner.id,
    head_sha: shaOf(record, 'diff_head_sha') ?? shaOf(record, 'source_branch_sha'),
    allow_collaboration: waits && record['allow_maintainer_to_push'] === true,
  }
}

function stateOf(record: Fields): 'opened' | 'closed' | 'merged' {
  // A merge in progress at the export did not happen here.
  if (record['state'] === 'locked' || record['state'] === 'reopened') return 'opened'
  const state = oneOf(record, 'state', ['opened', 'closed', 'merged'], 'opened')
  if (record['state'] !== undefined && record['state'] !== state)
    throw new UnusableRecord('state is not included in the list')
  return state
}

/** The state and its end. Whether the merge request can be merged is checked again. */
function endColumns(record: Fields, into: Target, updated_at: string): Row {
  const state = stateOf(record)
  const metrics = childOf(record, 'metrics') ?? {}
  if (state === 'merged')
    return {
      state,
      merge_status: 'can_be_merged',
      merged_at: timeOf(metrics, 'merged_at') ?? updated_at,
      merge_user_id:
        field.personIn(metrics, 'merged_by_id', into) ?? field.personIn(record, 'merge_user_id', into),
      merge_commit_sha: shaOf(record, 'merge_commit_sha'),
    }
  const closed = state === 'closed'
  return {
    state,
    merge_status: 'unchecked',
    closed_at: closed ? (timeOf(metrics, 'latest_closed_at') ?? updated_at) : null,
    closed_by_id: closed ? field.personIn(metrics, 'latest_closed_by_id', into) : null,
    merge_commit_sha: null,
  }
}
