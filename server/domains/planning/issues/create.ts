import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { fail } from '../../../lib/fail.ts'
import { isAble } from '../../../policy/ability.ts'
import { crossReference } from '../issuables/cross-references.ts'
import { keepIid, nextIid } from '../issuables/iids.ts'
import { setAssignees, setLabels, setMilestone } from '../issuables/changes.ts'
import { project as scope, type Project } from '../../projects/index.ts'
import { parseQuickActions } from '../../discussions/index.ts'
import { runCommands } from './commands.ts'
import { IssueCreated } from './events.ts'
import { eventOf, asIssuable, type IssueRow } from './issue.ts'
import {
  assignable,
  checkTexts,
  usableMilestone,
  wantedAssignees,
  wantedLabels,
  type GivenIssue,
} from './given.ts'
import { abilities } from './policy.ts'
import { describeThreads, resolveThreads, threadsMeant, type GivenThreads } from './resolving.ts'
import * as store from './store.ts'

/** An issue as somebody wants it. */
export interface NewIssue extends GivenIssue, GivenThreads {
  readonly title: string
}

/**
 * Opens an issue in the name of the actor and carries out the commands in its description. Throws 400 for texts that
 * cannot stand, 409 for a number that is taken. Labels, milestone and the like are left out where the actor may not set
 * them; the number and the time of making are for owners.
 */
export async function createIssue(ctx: Ctx, project: Project, given: NewIssue): Promise<IssueRow> {
  checkTexts(given)
  const { text, commands } = parseQuickActions(given.description ?? '')
  const description = commands.length > 0 ? text : given.description
  const taken = threadsMeant(ctx, project, given)
  const issue = tx(ctx.db, () => {
    const told = taken && !description ? describeThreads(ctx, project, taken) : description
    const made = insertIssue(ctx, project, { ...given, description: told })
    if (taken) resolveThreads(ctx, project, taken, made)
    return made
  })
  if (commands.length > 0) await runCommands(ctx, project, issue.id, commands)
  return store.byId(ctx.db, issue.id)!
}

/** The same in the caller's transaction, without commands. */
export function insertIssue(ctx: Ctx, project: Project, given: NewIssue): IssueRow {
  const able = (name: 'set_issue_metadata' | 'backdate_issue') =>
    isAble(ctx, scope, abilities[name], project, true)
  const isBackdated = able('backdate_issue')
  const plans = able('set_issue_metadata')
  const created_at = (isBackdated ? given.created_at : undefined) ?? ctx.now
  const issue = store.insert(ctx.db, {
    iid: numberFor(ctx, project, isBackdated ? given.iid : undefined),
    project_id: project.id,
    author_id: ctx.actor.id!,
    title: given.title.trim(),
    description: given.description ?? null,
    issue_type: given.issue_type ?? 'issue',
    confidential: given.confidential,
    ...(plans ? planColumns(given) : {}),
    created_at,
    updated_at: created_at,
  })
  publish(ctx, IssueCreated, eventOf(ctx, issue))
  if (plans) plan(ctx, project, issue, given)
  // What it was made with is no change of it.
  ctx.db.exec('UPDATE issues SET updated_at = ?, updated_by_id = NULL WHERE id = ?', created_at, issue.id)
  if (issue.description) crossReference(ctx, project, asIssuable(issue), issue.description)
  return store.byId(ctx.db, issue.id)!
}

function numberFor(ctx: Ctx, project: Project, wanted: number | undefined): number {
  const place = { project_id: project.id }
  if (wanted === undefined) return nextIid(ctx.db, place, 'issues')
  if (store.byIid(ctx.db, project.id, wanted)) throw fail('conflict', 'Duplicated issue')
  keepIid(ctx.db, place, 'issues', wanted)
  return wanted
}

function planColumns({ due_date, weight, health_status, discussion_locked }: NewIssue) {
  return {
    due_date: due_date ?? null,
    weight: weight ?? null,
    health_status: health_status ?? null,
    discussion_locked:
      discussion_locked === undefined || discussion_locked === null ? null : discussion_locked,
  }
}

function plan(ctx: Ctx, project: Project, issue: IssueRow, given: NewIssue): void {
  const issuable = asIssuable(issue)
  const labels = wantedLabels(ctx, project, given, [])
  if (labels) setLabels(ctx, issuable, labels)
  const people = wantedAssignees(given)
  if (people) setAssignees(ctx, issuable, assignable(ctx, project, people))
  if (given.milestone_id) setMilestone(ctx, issuable, usableMilestone(ctx, project, given.milestone_id))
}
