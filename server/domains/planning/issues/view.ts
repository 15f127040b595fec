import type { Ctx } from '../../../ctx.ts'
import { assigneesOf, labelsOf } from '../issuables/store.ts'
import { isSubscribed } from '../issuables/store-participants.ts'
import type { LabelRow } from '../labels/label.ts'
import { type MilestoneRow, milestonesOf } from '../milestones/store.ts'
import { usersById, type UserBasicRow } from '../../users/index.ts'
import { asIssuable, type IssueRow } from './issue.ts'
import * as store from './store.ts'
import { requestCounts } from './store.ts'

/** An issue with the data of its entity. */
export interface IssueView {
  readonly issue: IssueRow
  readonly project_path: string
  /** Full path of the project or group that the answer belongs to. Undefined for the whole instance. */
  readonly relative_to: string | undefined
  readonly author: UserBasicRow
  readonly closed_by: UserBasicRow | null
  readonly assignees: readonly UserBasicRow[]
  readonly labels: readonly LabelRow[]
  readonly with_labels_details: boolean
  readonly milestone: MilestoneRow | null
  readonly merge_requests_count: number
  readonly blocking_issues_count: number
  /** The original of a duplicate: project path and IID. */
  readonly duplicate_of:
    | { readonly path: string; readonly iid: number; readonly project_id: number }
    | undefined
  /** Whether the reader is subscribed. Undefined in lists. */
  readonly subscribed: boolean | undefined
}

/** Options for showing issues. */
export interface ShowOptions {
  readonly relative_to?: string | undefined
  readonly with_labels_details?: boolean | undefined
}

/** Loads the views of issues for a list, with a fixed number of queries. */
export function showIssues(ctx: Ctx, rows: readonly IssueRow[], options: ShowOptions = {}): IssueView[] {
  if (rows.length === 0) return []
  const ids = rows.map((row) => row.id)
  const labels = labelsOf(ctx.db, 'Issue', ids)
  const assignees = assigneesOf(ctx.db, 'Issue', ids)
  const milestones = milestonesOf(ctx.db, rows)
  const people = usersById(
    ctx.db,
    rows.flatMap((row) => [row.author_id, row.closed_by_id ?? row.author_id]),
  )
  const paths = store.projectPaths(
    ctx.db,
    rows.map((row) => row.project_id),
  )
  const requests = requestCounts(ctx, ids)
  const blocked = store.blockedCounts(ctx.db, ids)
  const originalsById = loadOriginals(ctx, rows)
  return rows.map((issue) => ({
    issue,
    project_path: paths.get(issue.project_id)!,
    relative_to: options.relative_to,
    author: people.get(issue.author_id)!,
    closed_by: people.get(issue.closed_by_id ?? 0) ?? null,
    assignees: assignees.get(issue.id)!,
    labels: labels.get(issue.id)!,
    with_labels_details: options.with_labels_details ?? false,
    milestone: milestones.get(issue.milestone_id ?? 0) ?? null,
    merge_requests_count: requests.get(issue.id) ?? 0,
    blocking_issues_count: blocked.get(issue.id) ?? 0,
    duplicate_of: originalsById.get(issue.duplicated_to_id ?? 0),
    subscribed: undefined,
  }))
}

/** Loads the view of a single issue. */
export function showIssue(ctx: Ctx, row: IssueRow, relativeTo: string | undefined): IssueView {
  const [view] = showIssues(ctx, [row], { relative_to: relativeTo })
  return { ...view!, subscribed: isSubscribed(ctx.db, asIssuable(row), ctx.actor.id) }
}

/** Loads the original issues of duplicates, by ID. */
function loadOriginals(ctx: Ctx, rows: readonly IssueRow[]) {
  const ids = rows.flatMap((row) => row.duplicated_to_id ?? [])
  const issues = ids.length === 0 ? [] : store.byIds(ctx.db, ids)
  const paths = store.projectPaths(
    ctx.db,
    issues.map((row) => row.project_id),
  )
  return new Map(
    issues.map(({ id, iid, project_id }) => [id, { path: paths.get(project_id)!, iid, project_id }]),
  )
}
