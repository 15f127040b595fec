import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { Failure, fail } from '../../../lib/fail.ts'
import { usableLabel } from '../labels/find.ts'
import type { LabelOwner } from '../labels/owner.ts'
import type { BoardRow, ListRow } from './board.ts'
import { checkTargets } from './service.ts'
import * as store from './store.ts'

/** What a list is about: exactly one of the three. */
export interface NewList {
  readonly label_id?: number | undefined
  readonly assignee_id?: number | undefined
  readonly milestone_id?: number | undefined
}

const TARGETS = { label_id: 'Label', assignee_id: 'Assignee', milestone_id: 'Milestone' } as const

/** The list of that id on a board. Throws `404 Not found`. */
export function findList(ctx: Ctx, board: BoardRow, id: number): ListRow {
  const found = store.listById(ctx.db, board.id, id)
  if (!found) throw new Failure('not_found', '404 Not found')
  return found
}

/** Adds a list at the right end. Throws 400 for what cannot be used here and for what has a list already. */
export function addList(ctx: Ctx, owner: LabelOwner, board: BoardRow, given: NewList): ListRow {
  const { label_id = null, assignee_id = null, milestone_id = null } = given
  if (label_id !== null && !usableLabel(ctx.db, owner, label_id))
    throw fail('bad_request', { error: 'Label not found' })
  checkTargets(ctx, owner, given)
  return tx(ctx.db, () => {
    const lists = store.listsOf(ctx.db, [board.id])
    const wanted = { label_id, assignee_id, milestone_id }
    for (const [column, thing] of Object.entries(TARGETS) as [keyof typeof TARGETS, string][])
      if (wanted[column] !== null && lists.some((list) => list[column] === wanted[column]))
        throw fail('bad_request', { error: `${thing} has already been taken` })
    const position = Math.max(-1, ...lists.map((list) => list.position)) + 1
    return store.insertList(ctx.db, {
      ...wanted,
      board_id: board.id,
      position,
      created_at: ctx.now,
      updated_at: ctx.now,
    })
  })
}

/** Puts a list at a place counted from 0; the others make room. Throws 400 for a place that is not there. */
export function moveList(ctx: Ctx, board: BoardRow, list: ListRow, position: number): ListRow {
  return tx(ctx.db, () => {
    const others = store.listsOf(ctx.db, [board.id]).filter((one) => one.id !== list.id)
    if (position < 0 || position > others.length)
      throw fail('bad_request', { error: 'List could not be moved!' })
    const ids = others.map((one) => one.id).toSpliced(position, 0, list.id)
    store.order(ctx.db, ids, ctx.now)
    return findList(ctx, board, list.id)
  })
}

/** Takes a list off its board; the others close up. */
export function removeList(ctx: Ctx, board: BoardRow, list: ListRow): void {
  tx(ctx.db, () => {
    store.removeList(ctx.db, list.id)
    const ids = store.listsOf(ctx.db, [board.id]).map((one) => one.id)
    store.order(ctx.db, ids, ctx.now)
  })
}
