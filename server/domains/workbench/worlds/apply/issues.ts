import type { WorldIssue, WorldProject } from '../model/schema.ts'
import type { ApplyRun } from './apply-run.ts'
import { applyComments } from './comments.ts'
import { checkSameTitle, keepIidsFree, recordsOf, withIidOf } from './records.ts'

interface Issue {
  readonly iid: number
  readonly title: string
  readonly state: string
  readonly labels: readonly string[]
  readonly assignees: readonly object[]
  readonly milestone: object | null
  readonly weight: number | null
  readonly due_date: string | null
}

/** Creates missing issues and comments, and closes issues. */
export async function applyIssues(
  run: ApplyRun,
  world: WorldProject,
  id: number,
  isNew: boolean,
): Promise<void> {
  const { issues } = world
  if (!issues) return
  const rows = isNew
    ? []
    : await run.all<Issue>('GET /projects/:id/issues', { id, scope: 'all', state: 'all' })
  const existing = recordsOf(issues, rows)
  keepIidsFree(run, id, 'issues', issues)
  const milestones = issues.some(({ milestone }) => milestone !== undefined)
    ? await milestonesOf(run, id)
    : new Map<string, number>()
  for (const issue of issues)
    await run.step(issue, `the issue "${issue.title}"`, () =>
      applyIssue(run, id, issue, existing.get(issue), milestones),
    )
}

async function applyIssue(
  run: ApplyRun,
  id: number,
  issue: WorldIssue,
  existing: Issue | undefined,
  milestones: ReadonlyMap<string, number>,
): Promise<void> {
  const { title, description, author, at, weight, due_date, confidential } = issue
  const planning = {
    labels: issue.labels?.join(','),
    assignee_ids: issue.assignees?.map((name) => run.idOf(name)),
    milestone_id: issue.milestone === undefined ? undefined : milestones.get(issue.milestone),
    weight,
    due_date,
  }
  let row = existing
  if (row) {
    checkSameTitle(issue, row)
    run.countExisting('issues')
  } else {
    const ctx = withIidOf(issue, run.contextOf(author, at))
    row = await run.call<Issue>(ctx, 'POST /projects/:id/issues', {
      id,
      title,
      description,
      confidential,
      ...planning,
    })
    run.countCreated('issues')
  }
  // Guests may open an issue but not plan it, so the user who applies the world does that. A run that was interrupted
  // may have left issues unplanned.
  const missingFields = missingPlanning(row, planning)
  if (Object.keys(missingFields).length > 0)
    await run.call(run.contextOf(undefined, at), 'PUT /projects/:id/issues/:issue_iid', {
      id,
      issue_iid: row.iid,
      ...missingFields,
    })
  const path = { id, issue_iid: row.iid }
  await applyComments(run, { route: '/projects/:id/issues/:issue_iid', path, at }, issue)
  if (issue.state === 'closed' && row.state !== 'closed')
    await run.call(
      run.contextOf(issue.closed_by, issue.closed_at ?? at),
      'PUT /projects/:id/issues/:issue_iid',
      { id, issue_iid: row.iid, state_event: 'close' },
    )
}

interface PlanningFields {
  readonly labels: string | undefined
  readonly assignee_ids: readonly number[] | undefined
  readonly milestone_id: number | undefined
  readonly weight: number | undefined
  readonly due_date: string | undefined
}

/** The planned values of an issue that it does not have yet. */
function missingPlanning(row: Issue, planning: PlanningFields): Record<string, unknown> {
  const has: Record<keyof PlanningFields, boolean> = {
    labels: row.labels.length > 0,
    assignee_ids: row.assignees.length > 0,
    milestone_id: row.milestone !== null,
    weight: row.weight !== null,
    due_date: row.due_date !== null,
  }
  const isSet = (value: unknown) =>
    value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0)
  return Object.fromEntries(
    Object.entries(planning).filter(([name, value]) => isSet(value) && !has[name as keyof PlanningFields]),
  )
}

/** The milestones of a project and its groups, by title. */
export async function milestonesOf(run: ApplyRun, id: number): Promise<Map<string, number>> {
  const rows = await run.all<{ id: number; title: string }>('GET /projects/:id/milestones', {
    id,
    include_parent_milestones: true,
  })
  return new Map(rows.map((row) => [row.title, row.id]))
}
