import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { Failure, fail } from '../../../lib/fail.ts'
import { usableLabel } from '../labels/find.ts'
import type { PlanningOwner } from '../types-owner.ts'
import type { BoardRow, ListRow } from './store.ts'
import { checkTargets } from './service.ts'
import * as store from './store.ts'

/** The content of a new list. Exactly one of the three is set. */
export interface NewList {
  readonly label_id?: number | undefined
  readonly assignee_id?: number | undefined
  readonly milestone_id?: number | undefined
}

const TARGETS = { label_id: 'Label', assignee_id: 'Assignee', milestone_id: 'Milestone' } as const

/** Finds a list of a board. Throws `404 Not found`. */
export function findList(ctx: Ctx, board: BoardRow, id: number): ListRow {
  const row = store.listById(ctx.db, board.id, id)
  if (!row) throw new Failure('not_found', '404 Not found')
  return row
}

/**
 * Adds a list as the last one. Throws 400 for a label, assignee or milestone that the board cannot use or already has.
 */
export function addList(ctx: Ctx, owner: PlanningOwner, board: BoardRow, input: NewList): ListRow {
  const { label_id = null, assignee_id = null, milestone_id = null } = input
  if (label_id !== null && !usableLabel(ctx.db, owner, label_id))
    throw fail('bad_request', { error: 'Label not found' })
  checkTargets(ctx, owner, input)
  return tx(ctx.db, () => {
    const lists = store.listsOf(ctx.db, [board.id])
    const target = { label_id, assignee_id, milestone_id }
    for (const [column, name] of Object.entries(TARGETS) as [keyof typeof TARGETS, string][])
      if (target[column] !== null && lists.some((list) => list[column] === target[column]))
        throw fail('bad_request', { error: `${name} has already been taken` })
    const position = Math.max(-1, ...lists.map((list) => list.position)) + 1
    return store.insertList(ctx.db, {
      ...target,
      board_id: board.id,
      position,
      created_at: ctx.now,
      updated_at: ctx.now,
    })
  })
}

/** Moves a list to a position, counted from 0. Throws 400 for a position that does not exist. */
export function moveList(ctx: Ctx, board: BoardRow, list: ListRow, position: number): ListRow {
  return tx(ctx.db, () => {
    const others = store.listsOf(ctx.db, [board.id]).filter((row) => row.id !== list.id)
    if (position < 0 || position > others.length)
      throw fail('bad_request', { error: 'List could not be moved!' })
    const ids = others.map((other) => other.id).toSpliced(position, 0, list.id)
    store.reorderLists(ctx.db, ids, ctx.now)
    return findList(ctx, board, list.id)
  })
}

/** Sets the maximum number of issues of a list; zero removes the limit. The window marks a list with more. */
export function limitList(ctx: Ctx, board: BoardRow, list: ListRow, max_issue_count: number): ListRow {
  store.setLimit(ctx.db, list.id, max_issue_count, ctx.now)
  return findList(ctx, board, list.id)
}

/** Removes a list from its board and renumbers the other lists. */
export function removeList(ctx: Ctx, board: BoardRow, list: ListRow): void {
  tx(ctx.db, () => {
    store.removeList(ctx.db, list.id)
    const ids = store.listsOf(ctx.db, [board.id]).map((row) => row.id)
    store.reorderLists(ctx.db, ids, ctx.now)
  })
}
