import type { Ctx } from '../../../../ctx.ts'
import { tx } from '../../../../db/database.ts'
import { publish } from '../../../../events/publish.ts'
import { columnChanges } from '../../../../lib/column-changes.ts'
import { fail, notFound } from '../../../../lib/fail.ts'
import { canRead, isAble } from '../../../../policy/ability.ts'
import { noteChange } from '../../issuables/text-changes.ts'
import { references } from '../../issuables/references.ts'
import { fullPath, projectById, project as scope, type Project } from '../../../projects/index.ts'
import { IssueCreated, IssueMoved } from '../events.ts'
import { eventOf, asIssuable, type IssueRow } from '../issue.ts'
import { isHidden } from '../links/service.ts'
import { abilities, canAdmin } from '../policy.ts'
import { closeIssue } from '../state.ts'
import * as store from '../store.ts'
import { copyConversation, copyIssue, moveRest } from './copy.ts'

/** The project that an issue is to go to, by id. Throws 404 where the actor may not see it. */
function targetOf(ctx: Ctx, id: number): Project {
  const found = projectById(ctx.db, id)
  if (!found || !canRead(ctx, scope, found)) throw notFound('Project')
  return found
}

/**
 * Moves an issue to another project, where it is a new one with the old one's author, conversation and time; the old one
 * is closed. Throws 404 for a project that the actor does not see, 400 for the same one and without the right to plan in
 * both.
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
    moveRest(ctx, issue, copy)
    publish(ctx, IssueCreated, eventOf(ctx, copy))
    tellWay(ctx, { issue, copy, from, to }, 'moved')
    const closed = closeIssue(ctx, issue)
    const gone = store.update(ctx.db, issue.id, { moved_to_id: copy.id })
    const changes = columnChanges(closed, gone)
    publish(ctx, IssueMoved, { ...eventOf(ctx, issue), moved_to_id: copy.id, changes })
    return store.byId(ctx.db, copy.id)!
  })
}

/**
 * Makes an issue like this one in a project, in the name of the actor, with or without its conversation. Throws 404 for a
 * project that the actor does not see, 400 where they may not make one.
 */
export function cloneIssue(
  ctx: Ctx,
  from: Project,
  issue: IssueRow,
  given: { readonly to_project_id: number; readonly with_notes: boolean },
): IssueRow {
  const to = targetOf(ctx, given.to_project_id)
  const isMember = isAble(ctx, scope, abilities.set_issue_metadata, to, true)
  if (!isMember || !canAdmin(ctx, from))
    throw fail('bad_request', 'Cannot clone issue due to insufficient permissions!')
  return tx(ctx.db, () => {
    const author = { author_id: ctx.actor.id!, created_at: ctx.now }
    const copy = copyIssue(ctx, issue, { from, to }, author)
    if (given.with_notes) copyConversation(ctx, issue, copy, { from, to })
    publish(ctx, IssueCreated, eventOf(ctx, copy))
    tellWay(ctx, { issue, copy, from, to }, 'cloned')
    return store.byId(ctx.db, copy.id)!
  })
}

function tellWay(
  ctx: Ctx,
  { issue, copy, from, to }: { issue: IssueRow; copy: IssueRow; from: Project; to: Project },
  verb: 'moved' | 'cloned',
): void {
  const name = (one: IssueRow, of: Project, seenFrom: Project): string =>
    references('Issue', one.iid, fullPath(of), fullPath(seenFrom)).relative
  noteChange(ctx, asIssuable(copy), verb, `${verb} from ${name(issue, from, to)}`, {
    internal: isHidden(to, from, issue),
  })
  noteChange(ctx, asIssuable(issue), verb, `${verb} to ${name(copy, to, from)}`, {
    internal: isHidden(from, to, copy),
  })
}
