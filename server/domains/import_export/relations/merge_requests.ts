import {
  childOf,
  childrenOf,
  flagOf,
  iidOf,
  oneOf,
  requiredText,
  shaOf,
  textOf,
  timeOf,
  wholeOf,
} from './checked.ts'
import { takeAssignees } from './children/assignees.ts'
import { takeAwards } from './children/award_emoji.ts'
import { takeEvents } from './children/feed.ts'
import { takeLabelLinks } from './children/label_links.ts'
import { takeNotes } from './children/notes.ts'
import { takeResourceEvents } from './children/resource_events.ts'
import { takeTimelogs } from './children/timelogs.ts'
import { takeApprovals, takeReviewers } from './merge_requests/people.ts'
import { mergeRequestRecords } from './merge_requests/records.ts'
import { takeVersion } from './merge_requests/version.ts'
import { relation, UnusableRecord, type Fields, type Row, type Target } from './relation.ts'

const MAX_TITLE = 255
const MAX_BRANCH = 255

/** Merge requests with all that was said and decided about them, and their newest version. */
export const merge_requests = relation({
  name: 'merge_requests',
  of: ['project'],
  records: mergeRequestRecords,
  count: ({ db, owner }) =>
    db.one<{ total: number }>('SELECT count(*) AS total FROM merge_requests WHERE project_id = ?', owner.id)!
      .total,
  take,
})

function take(record: Fields, into: Target): void {
  const project_id = into.owner.id
  const iid = iidOf(record)
  const title = titleOf(record)
  const id = into.insert('merge_requests', columnsOf(record, into, { iid, title }))
  into.remember('merge_request', iid, id)
  const subject = { type: 'MergeRequest' as const, id, project_id }
  const version = takeVersion(record, into, id)
  takeApprovals(record, into, { id, version, target_branch: branchOf(record, 'target_branch') })
  takeReviewers(record, into, id)
  takeAssignees(childrenOf(record, 'merge_request_assignees'), into, subject)
  takeOldAssignee(record, into, id)
  takeLabelLinks(childrenOf(record, 'label_links'), into, subject)
  takeNotes(childrenOf(record, 'notes'), into, { ...subject, title })
  takeAwards(childrenOf(record, 'award_emoji'), into, subject)
  takeTimelogs(childrenOf(record, 'timelogs'), into, subject)
  takeResourceEvents(record, into, subject)
  takeEvents(childrenOf(record, 'events'), into, subject, { iid, title })
}

/** Archives of older releases name a single one. */
function takeOldAssignee(record: Fields, into: Target, id: number): void {
  const assignee = record['assignee_id']
  if (typeof assignee !== 'number') return
  into.link('merge_request_assignees', { merge_request_id: id, user_id: into.person(assignee).id })
}

function columnsOf(record: Fields, into: Target, { iid, title }: { iid: number; title: string }): Row {
  const created_at = timeOf(record, 'created_at') ?? into.now
  const updated_at = timeOf(record, 'updated_at') ?? created_at
  const locked = record['discussion_locked']
  return {
    project_id: into.owner.id,
    iid,
    title,
    description: textOf(record, 'description'),
    author_id: into.person(record['author_id']).id,
    source_branch: branchOf(record, 'source_branch'),
    target_branch: branchOf(record, 'target_branch'),
    milestone_id: into.milestone(childOf(record, 'milestone') ?? undefined),
    discussion_locked: typeof locked === 'boolean' ? locked : null,
    squash: flagOf(record, 'squash'),
    approvals_before_merge: wholeOf(record, 'approvals_before_merge', { min: 0, max: 100 }),
    merge_error: textOf(record, 'merge_error'),
    squash_commit_sha: shaOf(record, 'squash_commit_sha'),
    time_estimate: wholeOf(record, 'time_estimate', { min: 0 }) ?? 0,
    updated_by_id: personOr(record['updated_by_id'], into),
    last_edited_at: timeOf(record, 'last_edited_at'),
    last_edited_by_id: personOr(record['last_edited_by_id'], into),
    prepared_at: created_at,
    created_at,
    updated_at,
    ...sourceColumns(record, into),
    ...removalColumns(record),
    ...endColumns(record, into, updated_at),
  }
}

/** A title that says so itself is how a draft is known here. */
function titleOf(record: Fields): string {
  const title = requiredText(record, 'title', 1024).slice(0, MAX_TITLE)
  if (record['draft'] !== true && record['work_in_progress'] !== true) return title
  const plain = title.replace(/^\s*(?:\[wip\]|wip:|wip)\s*/i, '')
  return /^(?:\[draft\]|\(draft\)|draft:)/i.test(plain) ? plain : `Draft: ${plain}`.slice(0, MAX_TITLE)
}

function branchOf(record: Fields, name: 'source_branch' | 'target_branch'): string {
  return requiredText(record, name, MAX_BRANCH)
}

function personOr(id: Fields[string] | undefined, into: Target): number | null {
  return id === undefined || id === null ? null : into.person(id).id
}

/**
 * Where it comes from. Forks are not in the archive: an open one waits without a source until its branch was made
 * again from its commits (spec administration 6.5).
 */
function sourceColumns(record: Fields, into: Target): Row {
  const source = record['source_project_id']
  const isFromFork = source !== record['target_project_id'] && source !== undefined
  const waits = isFromFork && stateOf(record) === 'opened'
  return {
    source_project_id: waits ? null : into.owner.id,
    // The head of its version; what its branch is made of again.
    head_sha: shaOf(record, 'diff_head_sha') ?? shaOf(record, 'source_branch_sha'),
    allow_collaboration: waits ? flagOf(record, 'allow_maintainer_to_push') : false,
  }
}

function removalColumns(record: Fields): Row {
  const params = childOf(record, 'merge_params') ?? {}
  const flag = (name: string): boolean | null => {
    const value = params[name]
    return value === undefined || value === null ? null : value === true || value === '1' || value === 'true'
  }
  return {
    force_remove_source_branch: flag('force_remove_source_branch'),
    should_remove_source_branch: flag('should_remove_source_branch'),
  }
}

function stateOf(record: Fields): 'opened' | 'closed' | 'merged' {
  // Being merged is a moment, which did not end well.
  if (record['state'] === 'locked' || record['state'] === 'reopened') return 'opened'
  const state = oneOf(record, 'state', ['opened', 'closed', 'merged'], 'opened')
  if (record['state'] !== undefined && record['state'] !== state)
    throw new UnusableRecord('state is not included in the list')
  return state
}

/** How it stands. Whether it can be merged is found out anew. */
function endColumns(record: Fields, into: Target, updated_at: string): Row {
  const state = stateOf(record)
  const metrics = childOf(record, 'metrics') ?? {}
  if (state === 'merged')
    return {
      state,
      merge_status: 'can_be_merged',
      merged_at: timeOf(metrics, 'merged_at') ?? updated_at,
      merge_user_id: personOr(metrics['merged_by_id'] ?? record['merge_user_id'], into),
      merge_commit_sha: shaOf(record, 'merge_commit_sha'),
    }
  const closed = state === 'closed'
  return {
    state,
    merge_status: 'unchecked',
    closed_at: closed ? (timeOf(metrics, 'latest_closed_at') ?? updated_at) : null,
    closed_by_id: closed ? personOr(metrics['latest_closed_by_id'], into) : null,
    merge_commit_sha: null,
  }
}
