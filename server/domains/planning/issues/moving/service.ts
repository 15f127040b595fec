import type { Ctx } from '../../../../ctx.ts'
import { tx } from '../../../../db/database.ts'
import { publish } from '../../../../events/publish.ts'
import { columnChanges } from '../../../../lib/column-changes.ts'
import { fail, notFound } from '../../../../lib/fail.ts'
import { canRead, hasAbility } from '../../../../policy/ability.ts'
import { noteChange } from '../../issuables/text-changes.ts'
import { references } from '../../issuables/issuable.ts'
import { fullPath, projectById, project as scope, type Project } from '../../../projects/index.ts'
import { IssueCreated, IssueMoved } from '../../events.ts'
import { eventFields, asIssuable, type IssueRow } from '../issue.ts'
import { isHidden } from '../links/service.ts'
import { abilities, canAdmin } from '../policy.ts'
import { closeIssue } from '../state.ts'
import * as store from '../store.ts'
import { copyConversation, moveRelations, copyMetadata, type IssueMove, textFor } from './store.ts'
import { nextIid } from '../../issuables/iids.ts'

/** Finds the target project. Throws 404 if the actor may not see it. */
function targetOf(ctx: Ctx, id: number): Project {
  const project = projectById(ctx.db, id)
  if (!project || !canRead(ctx, scope, project)) throw notFound('Project')
  return project
}

/**
 * Moves an issue to another project: copies it with its author, discussions and spent time, and closes the old issue.
 * Throws 404 if the actor may not see the project, 400 if it is the same project or the actor may not manage the issues
 * of both projects.
 */
export function moveIssue(ctx: Ctx, from: Project, issue: IssueRow, toId: number): IssueRow {
  const to = targetOf(ctx, toId)
  if (to.id === from.id) throw fail('bad_request', 'Cannot move issue to project it originates from!')
  if (!canAdmin(ctx, from) || !canAdmin(ctx, to) || issue.moved_to_id !== null)
    throw fail('bad_request', 'Cannot move issue due to insufficient permissions!')
  return tx(ctx.db, () => {
    const { author_id, created_at } = issue
    const copy = copyIssue(ctx, issue, { from, to }, { author_id, created_at })
    copyConversation(ctx, issue, copy, { from, to })
    moveRelations(ctx, issue, copy)
    publish(ctx, IssueCreated, eventFields(ctx, copy))
    noteBothIssues(ctx, { issue, copy, from, to }, 'moved')
    const closed = closeIssue(ctx, issue)
    const moved = store.update(ctx.db, issue.id, { moved_to_id: copy.id })
    const changes = columnChanges(closed, moved)
    publish(ctx, IssueMoved, { ...eventFields(ctx, issue), moved_to_id: copy.id, changes })
    return store.byId(ctx.db, copy.id)!
  })
}

/**
 * Copies an issue to a project, as the actor, with or without its notes. Throws 404 if the actor may not see the
 * project, 400 if they may not create issues there.
 */
export function cloneIssue(
  ctx: Ctx,
  from: Project,
  issue: IssueRow,
  input: { readonly to_project_id: number; readonly with_notes: boolean },
): IssueRow {
  const to = targetOf(ctx, input.to_project_id)
  const isMember = hasAbility(ctx, scope, abilities.set_issue_metadata, to, true)
  if (!isMember || !canAdmin(ctx, from))
    throw fail('bad_request', 'Cannot clone issue due to insufficient permissions!')
  return tx(ctx.db, () => {
    const author = { author_id: ctx.actor.id!, created_at: ctx.now }
    const copy = copyIssue(ctx, issue, { from, to }, author)
    if (input.with_notes) copyConversation(ctx, issue, copy, { from, to })
    publish(ctx, IssueCreated, eventFields(ctx, copy))
    noteBothIssues(ctx, { issue, copy, from, to }, 'cloned')
    return store.byId(ctx.db, copy.id)!
  })
}

function noteBothIssues(
  ctx: Ctx,
  { issue, copy, from, to }: { issue: IssueRow; copy: IssueRow; from: Project; to: Project },
  verb: 'moved' | 'cloned',
): void {
  const name = (entry: IssueRow, project: Project, readingProject: Project): string =>
    references('Issue', entry.iid, fullPath(project), fullPath(readingProject)).relative
  noteChange(ctx, asIssuable(copy), verb, `${verb} from ${name(issue, from, to)}`, {
    internal: isHidden(to, from, issue),
  })
  noteChange(ctx, asIssuable(issue), verb, `${verb} to ${name(copy, to, from)}`, {
    internal: isHidden(from, to, copy),
  })
}

/** Creates a copy of an issue, with the labels, milestone and assignees that the target project can use. */
function copyIssue(
  ctx: Ctx,
  issue: IssueRow,
  { from, to }: IssueMove,
  author: { readonly author_id: number; readonly created_at: string },
): IssueRow {
  const description = issue.description && textFor(issue.description, { from, to })
  const { title, issue_type, confidential, discussion_locked, due_date, weight, health_status, severity } =
    issue
  const copy = store.insert(ctx.db, {
    ...author,
    title,
    description,
    issue_type,
    confidential,
    discussion_locked,
    due_date,
    weight,
    health_status,
    severity,
    iid: nextIid(ctx.db, { project_id: to.id }, 'issues'),
    project_id: to.id,
    updated_at: ctx.now,
  })
  copyMetadata(ctx, issue, copy, to)
  return copy
}
