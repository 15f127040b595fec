import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { Failure, fail } from '../../../lib/fail.ts'
import { labelsWithTitles } from '../labels/store.ts'
import type { PlanningOwner } from '../types-owner.ts'
import { usableMilestone } from '../milestones/store.ts'
import { usersById } from '../../users/index.ts'
import type { BoardRow } from './store.ts'
import * as store from './store.ts'

/** The changes of a board. Null removes a filter. */
export interface BoardChanges {
  readonly name?: string | undefined
  readonly hide_backlog_list?: boolean | undefined
  readonly hide_closed_list?: boolean | undefined
  readonly milestone_id?: number | null | undefined
  readonly assignee_id?: number | null | undefined
  readonly weight?: number | null | undefined
  /** Titles of labels. Unknown titles are ignored. */
  readonly labels?: readonly string[] | undefined
}

/** Finds a board of an owner. Throws `404 Not found`. */
export function findBoard(ctx: Ctx, owner: PlanningOwner, id: number): BoardRow {
  const board = store.boardOf(ctx.db, owner, id)
  if (!board) throw new Failure('not_found', '404 Not found')
  return board
}

/** Creates a board without lists. */
export function createBoard(ctx: Ctx, owner: PlanningOwner, name: string): BoardRow {
  return store.insert(ctx.db, {
    project_id: owner.kind === 'project' ? owner.id : null,
    group_id: owner.kind === 'group' ? owner.id : null,
    name,
    created_at: ctx.now,
    updated_at: ctx.now,
  })
}

/** Updates a board. Throws 400 for an invalid milestone or user. */
export function updateBoard(
  ctx: Ctx,
  owner: PlanningOwner,
  board: BoardRow,
  changes: BoardChanges,
): BoardRow {
  const { labels, ...input } = changes
  // Clients send 0 to remove a filter.
  const columns = { ...input, ...zeroAsNull(input, 'milestone_id'), ...zeroAsNull(input, 'assignee_id') }
  checkTargets(ctx, owner, columns)
  return tx(ctx.db, () => {
    if (labels !== undefined) {
      const rows = labelsWithTitles(ctx.db, owner, labels)
      const byTitle = new Map(rows.toReversed().map((label) => [label.title, label.id]))
      store.setLabels(ctx.db, board.id, [...byTitle.values()])
    }
    const changed = Object.entries(columns).filter(([, value]) => value !== undefined)
    return store.update(ctx.db, board.id, { ...Object.fromEntries(changed), updated_at: ctx.now })
  })
}

function zeroAsNull(changes: BoardChanges, name: 'milestone_id' | 'assignee_id'): BoardChanges {
  return changes[name] === 0 ? { [name]: null } : {}
}

/** Throws 400 for a milestone that the owner cannot use, and for an unknown user. */
export function checkTargets(
  ctx: Ctx,
  owner: PlanningOwner,
  { milestone_id, assignee_id }: Pick<BoardChanges, 'milestone_id' | 'assignee_id'>,
): void {
  if (typeof milestone_id === 'number' && !usableMilestone(ctx.db, owner, milestone_id))
    throw fail('bad_request', { error: 'Milestone not found' })
  if (typeof assignee_id === 'number' && !usersById(ctx.db, [assignee_id]).has(assignee_id))
    throw fail('bad_request', { error: 'User not found' })
}
