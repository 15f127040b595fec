import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { Failure } from '../../../lib/fail.ts'
import type { Project } from '../../projects/index.ts'
import { IssueUpdated } from './events.ts'
import { eventOf, type IssueRow } from './issue.ts'
import * as store from './store.ts'
import { checkMayUpdate } from './find.ts'

/** Between what is put down side by side; halved whenever something comes between. */
const GAP = 1 << 16

/** Between which others an issue is to stand; ids. */
export interface Neighbours {
  readonly move_before_id?: number | undefined
  readonly move_after_id?: number | undefined
}

/**
 * Puts an issue between two others, or beside one. Throws 403 for who may not change it, and 422 without a neighbour that
 * the project has.
 */
export function reorderIssue(ctx: Ctx, project: Project, issue: IssueRow, given: Neighbours): IssueRow {
  checkMayUpdate(ctx, project, issue)
  const ids = [given.move_before_id, given.move_after_id].filter((id) => id !== undefined)
  const known = ids.map((id) => store.byId(ctx.db, id))
  if (ids.length === 0 || known.some((one) => one?.project_id !== project.id || one.id === issue.id))
    throw new Failure('unprocessable', { error: 'Unprocessable Entity' })
  return tx(ctx.db, () => {
    const position =
      place(ctx, project.id, issue.id, given) ?? afterSpreading(ctx, project.id, issue.id, given)
    const moved = store.update(ctx.db, issue.id, { relative_position: position })
    publish(ctx, IssueUpdated, { ...eventOf(ctx, moved), changed: ['relative_position'], previous: {} })
    return moved
  })
}

function afterSpreading(ctx: Ctx, projectId: number, id: number, given: Neighbours): number {
  spread(ctx, projectId)
  return place(ctx, projectId, id, given)!
}

/** Gives all issues of a project a position of their own, in the order that they have. */
function spread(ctx: Ctx, projectId: number): void {
  ctx.db.exec(
    `UPDATE issues SET relative_position = o.place * ${GAP} FROM (
       SELECT id, row_number() OVER (ORDER BY relative_position ASC NULLS LAST, id ASC) AS place
       FROM issues WHERE project_id = ?) o WHERE issues.id = o.id`,
    projectId,
  )
}

/** A free position between the neighbours; undefined where there is none left, or a neighbour has none. */
function place(ctx: Ctx, projectId: number, id: number, given: Neighbours): number | undefined {
  const { move_before_id, move_after_id } = given
  const before = move_before_id === undefined ? undefined : positionOf(ctx, move_before_id)
  let after = move_after_id === undefined ? undefined : positionOf(ctx, move_after_id)
  if (before === null || after === null) return undefined
  // Neighbours that stand the other way round: it comes after the first.
  if (before !== undefined && after !== undefined && after <= before) after = undefined
  const low = before ?? neighbour(ctx, { projectId, id, position: after! }, 'below')
  const high = after ?? neighbour(ctx, { projectId, id, position: before! }, 'above')
  const middle = Math.floor((low + high) / 2)
  return middle > low && middle < high ? middle : undefined
}

function positionOf(ctx: Ctx, id: number): number | null {
  const sql = 'SELECT relative_position AS position FROM issues WHERE id = ?'
  return ctx.db.one<{ position: number | null }>(sql, id)!.position
}

/** The position next to one, of another issue, or where another one could be. */
function neighbour(
  ctx: Ctx,
  { projectId, id, position }: { projectId: number; id: number; position: number },
  side: 'below' | 'above',
): number {
  const [least, sign, fallback] =
    side === 'below' ? ['max', '<', position - 2 * GAP] : ['min', '>', position + 2 * GAP]
  const found = ctx.db.one<{ position: number | null }>(
    `SELECT ${least}(relative_position) AS position FROM issues
     WHERE project_id = ? AND id <> ? AND relative_position ${sign} ?`,
    projectId,
    id,
    position,
  )
  return found?.position ?? Number(fallback)
}
