import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { columnChanges } from '../../../lib/column-changes.ts'
import { hasAbility } from '../../../policy/ability.ts'
import { crossReference } from '../issuables/cross-references.ts'
import { labelIdsOf } from '../issuables/store.ts'
import { setAssignees, setLabels, setMilestone } from '../issuables/changes.ts'
import { project as scope, type Project } from '../../projects/index.ts'
import { changedColumns, noteColumns } from './columns.ts'
import { IssueUpdated } from '../events.ts'
import { eventFields, asIssuable, type IssueRow, checkMayUpdate } from './issue.ts'
import {
  assignableIds,
  checkTexts,
  usableMilestone,
  requestedAssigneeIds,
  newLabelIds,
  type IssueInput,
} from './input.ts'
import { abilities, canAdmin } from './policy.ts'
import { closeIssue, reopenIssue } from './state.ts'
import * as store from './store.ts'
import { spreadPositions, positionOf, neighborPosition } from './store.ts'
import { Failure } from '../../../lib/fail.ts'

/**
 * Updates an issue. Throws 403 if the actor may not, 400 for an invalid title or description. Ignores metadata that the
 * actor may not set.
 */
export function updateIssue(ctx: Ctx, project: Project, issue: IssueRow, input: IssueInput): IssueRow {
  checkMayUpdate(ctx, project, issue)
  checkTexts(input)
  const mayPlan = canAdmin(ctx, project)
  return tx(ctx.db, () => {
    writeColumns(ctx, project, issue, { input, mayPlan })
    if (mayPlan) setMetadata(ctx, project, issue, input)
    if (input.state_event === 'close') closeIssue(ctx, issue)
    if (input.state_event === 'reopen') reopenIssue(ctx, issue)
    if (input.updated_at && hasAbility(ctx, scope, abilities.backdate_issue, project, true))
      return store.update(ctx.db, issue.id, { updated_at: input.updated_at })
    return store.byId(ctx.db, issue.id)!
  })
}

function writeColumns(
  ctx: Ctx,
  project: Project,
  issue: IssueRow,
  { input, mayPlan }: { input: IssueInput; mayPlan: boolean },
): void {
  const changes = changedColumns(issue, input, mayPlan)
  const changed = Object.keys(changes)
  if (changed.length === 0) return
  const isEdit = 'title' in changes || 'description' in changes
  const edit = isEdit ? { last_edited_at: ctx.now, last_edited_by_id: ctx.actor.id } : {}
  const updated = store.update(ctx.db, issue.id, {
    ...changes,
    ...edit,
    updated_at: ctx.now,
    updated_by_id: ctx.actor.id,
  })
  noteColumns(ctx, issue, updated)
  const previous = {
    ...('title' in changes ? { title: issue.title } : {}),
    ...('description' in changes ? { description: issue.description } : {}),
  }
  publish(ctx, IssueUpdated, {
    ...eventFields(ctx, updated),
    changed,
    previous,
    changes: columnChanges(issue, updated),
  })
  if ('description' in changes && updated.description)
    crossReference(ctx, project, asIssuable(updated), updated.description)
}

function setMetadata(ctx: Ctx, project: Project, issue: IssueRow, input: IssueInput): void {
  const issuable = asIssuable(issue)
  const labels = newLabelIds(ctx, project, input, labelIdsOf(ctx.db, 'Issue', issue.id))
  if (labels) setLabels(ctx, issuable, labels)
  const assigneeIds = requestedAssigneeIds(input)
  if (assigneeIds) setAssignees(ctx, issuable, assignableIds(ctx, project, assigneeIds))
  if (input.milestone_id !== undefined)
    setMilestone(ctx, issuable, usableMilestone(ctx, project, input.milestone_id))
}

/** The IDs of the new neighbors. */
interface Neighbors {
  readonly move_before_id?: number | undefined
  readonly move_after_id?: number | undefined
}

/**
 * Moves an issue between two others, or next to another one. Throws 403 if the actor may not update it, 422 unless its
 * new neighbors are issues of the project.
 */
export function reorderIssue(ctx: Ctx, project: Project, issue: IssueRow, neighbors: Neighbors): IssueRow {
  checkMayUpdate(ctx, project, issue)
  const ids = [neighbors.move_before_id, neighbors.move_after_id].filter((id) => id !== undefined)
  const rows = ids.map((id) => store.byId(ctx.db, id))
  if (ids.length === 0 || rows.some((row) => row?.project_id !== project.id || row.id === issue.id))
    throw new Failure('unprocessable', { error: 'Unprocessable Entity' })
  return tx(ctx.db, () => {
    const position =
      positionBetween(ctx, project.id, issue.id, neighbors) ??
      positionAfterSpreading(ctx, project.id, issue.id, neighbors)
    const moved = store.update(ctx.db, issue.id, { relative_position: position })
    publish(ctx, IssueUpdated, { ...eventFields(ctx, moved), changed: ['relative_position'], previous: {} })
    return moved
  })
}

function positionAfterSpreading(ctx: Ctx, projectId: number, id: number, neighbors: Neighbors): number {
  spreadPositions(ctx, projectId)
  return positionBetween(ctx, projectId, id, neighbors)!
}

/** Returns a free position between the neighbors. Undefined if none is left, or a neighbor has no position. */
function positionBetween(ctx: Ctx, projectId: number, id: number, neighbors: Neighbors): number | undefined {
  const { move_before_id, move_after_id } = neighbors
  const before = move_before_id === undefined ? undefined : positionOf(ctx, move_before_id)
  let after = move_after_id === undefined ? undefined : positionOf(ctx, move_after_id)
  if (before === null || after === null) return undefined
  // If the neighbors are in the opposite order, the issue follows the first one.
  if (before !== undefined && after !== undefined && after <= before) after = undefined
  const low = before ?? neighborPosition(ctx, { projectId, id, position: after! }, 'below')
  const high = after ?? neighborPosition(ctx, { projectId, id, position: before! }, 'above')
  const middle = Math.floor((low + high) / 2)
  return middle > low && middle < high ? middle : undefined
}
