import type { WorldIssue, WorldProject } from '../model/schema.ts'
import type { ApplyRun } from './apply-run.ts'

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

/** Creates missing issues and notes, and closes issues. */
export async function applyIssues(run: ApplyRun, world: WorldProject, id: number): Promise<void> {
  const { issues } = world
  if (!issues) return
  const rows = await run.all<Issue>('GET /projects/:id/issues', { id, scope: 'all', state: 'all' })
  const byTitle = new Map(rows.map((row) => [row.title, row]))
  const milestones = await milestonesOf(run, id)
  for (const issue of issues)
    await run.step(issue, `the issue "${issue.title}"`, () =>
      applyIssue(run, id, issue, byTitle.get(issue.title), milestones),
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
  if (row) run.countExisting('issues')
  else {
    row = await run.call<Issue>(run.contextOf(author, at), 'POST /projects/:id/issues', {
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
  await applyNotes(run, `/projects/:id/issues/:issue_iid`, { id, issue_iid: row.iid }, issue.notes, at)
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

/** Creates missing notes. */
export async function applyNotes(
  run: ApplyRun,
  route: string,
  path: Readonly<Record<string, number>>,
  notes: WorldIssue['notes'],
  after: string | undefined,
): Promise<void> {
  if (!notes) return
  const rows = await run.all<{ body: string; author: { username: string } }>(`GET ${route}/notes`, path)
  const existing = new Set(rows.map(({ body, author }) => `${author.username} ${body.trim()}`))
  for (const note of notes) {
    if (existing.has(`${note.author} ${note.text.trim()}`)) run.countExisting('notes')
    else
      await run.step(note, `a note of ${note.author}`, async () => {
        await run.call(run.contextOf(note.author, note.at ?? after), `POST ${route}/notes`, {
          ...path,
          body: note.text,
        })
        run.countCreated('notes')
      })
  }
}

/** The milestones of a project and its groups, by title. */
export async function milestonesOf(run: ApplyRun, id: number): Promise<Map<string, number>> {
  const rows = await run.all<{ id: number; title: string }>('GET /projects/:id/milestones', {
    id,
    include_parent_milestones: true,
  })
  return new Map(rows.map((row) => [row.title, row.id]))
}
