import type { Ctx } from '../../../ctx.ts'
import { publish } from '../../../events/publish.ts'
import { fail } from '../../../lib/fail.ts'
import { hasAbility } from '../../../policy/ability.ts'
import { type Project, project as scope, fullPath } from '../../projects/index.ts'
import { parseQuickActions, noteTarget, resolveDiscussion, writeSystemNote } from '../../discussions/index.ts'
import { usersById } from '../../users/index.ts'
import { IssueCreated } from '../events.ts'
import { setAssignees, setLabels, setMilestone } from '../issuables/changes.ts'
import { crossReference } from '../issuables/cross-references.ts'
import { chosenIid, recordIid, nextIid } from '../issuables/iids.ts'
import { references } from '../issuables/issuable.ts'
import { runCommands } from './issue-commands.ts'
import { type IssueRow, eventFields, asIssuable } from './issue.ts'
import {
  type IssueInput,
  checkTexts,
  assignableIds,
  usableMilestone,
  requestedAssigneeIds,
  newLabelIds,
} from './input.ts'
import { abilities } from './policy.ts'
import * as store from './store.ts'
import { threadsToContinue, type ThreadsInput, type ContinuedThreads } from './store.ts'
import { updateIssue } from './update.ts'
import { tx } from '../../../db/database.ts'

/**
 * Updates an issue as `updateIssue` does. Runs the quick actions of a new description and removes them from the text.
 */
export async function editIssue(
  ctx: Ctx,
  project: Project,
  issue: IssueRow,
  input: IssueInput,
): Promise<IssueRow> {
  const isNew = input.description && input.description !== issue.description
  const { text, commands } = parseQuickActions(isNew ? input.description! : '')
  if (commands.length === 0) return updateIssue(ctx, project, issue, input)
  updateIssue(ctx, project, issue, { ...input, description: text })
  await runCommands(ctx, project, issue.id, commands)
  return store.byId(ctx.db, issue.id)!
}

/**
 * Creates an issue as the actor and runs the quick actions in its description. Throws 400 for an invalid title or
 * description, 409 for an IID in use. Ignores metadata that the actor may not set; only owners may set the IID and the
 * creation time.
 */
export async function createIssue(ctx: Ctx, project: Project, input: NewIssue): Promise<IssueRow> {
  checkTexts(input)
  const { text, commands } = parseQuickActions(input.description ?? '')
  const description = commands.length > 0 ? text : input.description
  const threads = threadsToContinue(ctx, project, input)
  const issue = tx(ctx.db, () => {
    const fullDescription = threads && !description ? describeThreads(ctx, project, threads) : description
    const created = insertIssue(ctx, project, { ...input, description: fullDescription })
    if (threads) resolveThreads(ctx, project, threads, created)
    return created
  })
  if (commands.length > 0) await runCommands(ctx, project, issue.id, commands)
  return store.byId(ctx.db, issue.id)!
}

/** The content of a new issue. */
interface NewIssue extends IssueInput, ThreadsInput {
  readonly title: string
}

/** Creates an issue without running quick actions. Call it in a transaction. */
function insertIssue(ctx: Ctx, project: Project, input: NewIssue): IssueRow {
  const isAllowed = (name: 'set_issue_metadata' | 'backdate_issue') =>
    hasAbility(ctx, scope, abilities[name], project, true)
  const mayBackdate = isAllowed('backdate_issue')
  const mayPlan = isAllowed('set_issue_metadata')
  const created_at = (mayBackdate ? input.created_at : undefined) ?? ctx.now
  const issue = store.insert(ctx.db, {
    iid: iidFor(ctx, project, (mayBackdate ? input.iid : undefined) ?? chosenIid(ctx)),
    project_id: project.id,
    author_id: ctx.actor.id!,
    title: input.title.trim(),
    description: input.description ?? null,
    issue_type: input.issue_type ?? 'issue',
    confidential: input.confidential,
    ...(mayPlan ? metadataColumns(input) : {}),
    created_at,
    updated_at: created_at,
  })
  publish(ctx, IssueCreated, eventFields(ctx, issue))
  if (mayPlan) setMetadata(ctx, project, issue, input)
  // Setting the initial labels and assignees does not count as an update.
  store.update(ctx.db, issue.id, { updated_at: created_at, updated_by_id: null })
  if (issue.description) crossReference(ctx, project, asIssuable(issue), issue.description)
  return store.byId(ctx.db, issue.id)!
}

function iidFor(ctx: Ctx, project: Project, requested: number | undefined): number {
  const scope = { project_id: project.id }
  if (requested === undefined) return nextIid(ctx.db, scope, 'issues')
  if (store.byIid(ctx.db, project.id, requested)) throw fail('conflict', 'Duplicated issue')
  recordIid(ctx.db, scope, 'issues', requested)
  return requested
}

function metadataColumns({ due_date, weight, health_status, discussion_locked }: NewIssue) {
  return {
    due_date: due_date ?? null,
    weight: weight ?? null,
    health_status: health_status ?? null,
    discussion_locked:
      discussion_locked === undefined || discussion_locked === null ? null : discussion_locked,
  }
}

function setMetadata(ctx: Ctx, project: Project, issue: IssueRow, input: NewIssue): void {
  const issuable = asIssuable(issue)
  const labels = newLabelIds(ctx, project, input, [])
  if (labels) setLabels(ctx, issuable, labels)
  const assigneeIds = requestedAssigneeIds(input)
  if (assigneeIds) setAssignees(ctx, issuable, assignableIds(ctx, project, assigneeIds))
  if (input.milestone_id) setMilestone(ctx, issuable, usableMilestone(ctx, project, input.milestone_id))
}

/** Returns the description of an issue that continues threads. */
function describeThreads(ctx: Ctx, project: Project, { noteable, threads }: ContinuedThreads): string {
  const authors = usersById(
    ctx.db,
    threads.map((thread) => thread.author_id),
  )
  const address = `${ctx.config.url}/${fullPath(project)}/-/merge_requests/${noteable.iid}`
  const noun = threads.length === 1 ? 'discussion' : 'discussions'
  const items = threads.map((thread) => {
    const name = authors.get(thread.author_id)!.username
    const quoted = thread.note.replace(/^/gm, '    > ')
    return `- [ ] @${name} started a [discussion](${address}#note_${thread.note_id}):\n\n${quoted}`
  })
  return [`The following ${noun} from !${noteable.iid} should be addressed:`, ...items].join('\n\n')
}

/**
 * Resolves the threads that an issue continues, and links them to the issue. Call it in the transaction that creates
 * the issue.
 */
function resolveThreads(ctx: Ctx, project: Project, threads: ContinuedThreads, issue: IssueRow): void {
  const target = noteTarget(ctx, project, threads.noteable)
  const { short } = references('Issue', issue.iid, fullPath(project))
  for (const { discussion_id } of threads.threads) resolveDiscussion(ctx, target, discussion_id, true)
  const discussionText = threads.threads.length === 1 ? 'this discussion' : 'these discussions'
  // Readers of the merge request may not be allowed to see a confidential issue.
  writeSystemNote(ctx, threads.noteable, {
    action: 'discussion',
    body: `created ${short} to continue ${discussionText}`,
    internal: issue.confidential,
  })
}
