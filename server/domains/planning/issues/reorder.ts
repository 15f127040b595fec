import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { Failure } from '../../../lib/fail.ts'
import type { Project } from '../../projects/index.ts'
import { IssueUpdated } from '../events.ts'
import { eventFields, type IssueRow, checkMayUpdate } from './issue.ts'
import * as store from './store.ts'
import { spreadPositions, positionOf, neighborPosition } from './store.ts'

/** The IDs of the new neighbors. */
export interface Neighbors {
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
