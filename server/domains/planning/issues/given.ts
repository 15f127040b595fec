import type { IssueRow } from './issue.ts'
import type { Ctx } from '../../../ctx.ts'
import { invalid } from '../../../lib/fail.ts'
import { inNameOf } from '../issuables/acting.ts'
import { mayReadIn } from '../issuables/store-reading.ts'
import { labelsNamed } from '../labels/named.ts'
import type { LabelRow } from '../labels/label.ts'
import { milestoneFor } from '../milestones/store.ts'
import type { Project } from '../../projects/index.ts'

/** The content of a new issue, or the changes of an update. Undefined fields stay as they are. */
export interface GivenIssue {
  readonly title?: string | undefined
  readonly description?: string | null | undefined
  readonly labels?: readonly string[] | null | undefined
  readonly add_labels?: readonly string[] | undefined
  readonly remove_labels?: readonly string[] | undefined
  readonly assignee_ids?: readonly number[] | null | undefined
  readonly assignee_id?: number | null | undefined
  readonly milestone_id?: number | null | undefined
  readonly due_date?: string | null | undefined
  readonly weight?: number | null | undefined
  readonly health_status?: IssueRow['health_status'] | undefined
  readonly confidential?: boolean | undefined
  readonly discussion_locked?: boolean | null | undefined
  readonly issue_type?: IssueRow['issue_type'] | undefined
  readonly state_event?: 'close' | 'reopen' | undefined
  readonly created_at?: string | undefined
  readonly updated_at?: string | undefined
  readonly iid?: number | undefined
}

const MAX_TITLE = 255
const MAX_DESCRIPTION = 1_048_576

/** Throws 400 for an invalid title or description. */
export function checkTexts({ title, description }: GivenIssue): void {
  const problems: Record<string, string> = {}
  if (title !== undefined && title.trim() === '') problems['title'] = "can't be blank"
  if (title !== undefined && title.length > MAX_TITLE)
    problems['title'] = `is too long (maximum is ${MAX_TITLE} characters)`
  if (description && description.length > MAX_DESCRIPTION)
    problems['description'] = `is too long (maximum is ${MAX_DESCRIPTION} characters)`
  if (Object.keys(problems).length > 0) throw invalid(problems)
}

/** Returns the user IDs from `assignee_ids` or `assignee_id`. 0 means nobody. Undefined without both parameters. */
export function wantedAssignees(given: GivenIssue): number[] | undefined {
  const { assignee_ids, assignee_id } = given
  if (assignee_ids !== undefined) return (assignee_ids ?? []).filter((id) => id !== 0)
  if (assignee_id !== undefined) return assignee_id ? [assignee_id] : []
  return undefined
}

/** Returns the users who can be assigned: they must be able to read the issues of the project. */
export function assignable(ctx: Ctx, project: Project, ids: readonly number[]): number[] {
  return [...new Set(ids)].filter((id) => {
    const userCtx = inNameOf(ctx, id)
    return userCtx !== undefined && mayReadIn(userCtx, project, 'Issue')
  })
}

/** Returns the ID of a milestone that the project can use. Null for others, and for 0. */
export function usableMilestone(ctx: Ctx, project: Project, id: number | null): number | null {
  return id ? (milestoneFor(ctx.db, project, id)?.id ?? null) : null
}

/** Returns the IDs of the labels after a change. Undefined for no change. */
export function wantedLabels(
  ctx: Ctx,
  project: Project,
  given: GivenIssue,
  current: readonly number[],
): number[] | undefined {
  const { labels, add_labels, remove_labels } = given
  if (labels === undefined && !add_labels && !remove_labels) return undefined
  const ids = (rows: readonly LabelRow[]) => rows.map((row) => row.id)
  const base = labels === undefined ? current : ids(labelsNamed(ctx, project, labels ?? [], { create: true }))
  const added = ids(labelsNamed(ctx, project, add_labels ?? [], { create: true }))
  const removed = ids(labelsNamed(ctx, project, remove_labels ?? [], { create: false }))
  return [...new Set([...base, ...added])].filter((id) => !removed.includes(id))
}
