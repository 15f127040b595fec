import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { Failure, fail } from '../../../lib/fail.ts'
import { titled as labelsTitled } from '../labels/store.ts'
import type { LabelOwner } from '../labels/owner.ts'
import { usableMilestone } from '../milestones/store.ts'
import { usersById } from '../../users/index.ts'
import type { BoardRow } from './board.ts'
import * as store from './store.ts'

/** What can be changed of a board; what it is limited to is null for nothing. */
export interface BoardChanges {
  readonly name?: string | undefined
  readonly hide_backlog_list?: boolean | undefined
  readonly hide_closed_list?: boolean | undefined
  readonly milestone_id?: number | null | undefined
  readonly assignee_id?: number | null | undefined
  readonly weight?: number | null | undefined
  /** Titles; unknown ones are left out. */
  readonly labels?: readonly string[] | undefined
}

/** The board of that id. Throws `404 Not found`. */
export function findBoard(ctx: Ctx, owner: LabelOwner, id: number): BoardRow {
  const found = store.boardOf(ctx.db, owner, id)
  if (!found) throw new Failure('not_found', '404 Not found')
  return found
}

/** Makes a board without lists. */
export function createBoard(ctx: Ctx, owner: LabelOwner, name: string): BoardRow {
  return store.insert(ctx.db, {
    project_id: owner.kind === 'project' ? owner.id : null,
    group_id: owner.kind === 'group' ? owner.id : null,
    name,
    created_at: ctx.now,
    updated_at: ctx.now,
  })
}

/** Changes a board. Throws 400 for a milestone or user that cannot be used. */
export function updateBoard(ctx: Ctx, owner: LabelOwner, board: BoardRow, changes: BoardChanges): BoardRow {
  const { labels, ...given } = changes
  // Clients write 0 where they mean nothing in particular.
  const columns = { ...given, ...unset(given, 'milestone_id'), ...unset(given, 'assignee_id') }
  checkTargets(ctx, owner, columns)
  return tx(ctx.db, () => {
    if (labels !== undefined) {
      const found = labelsTitled(ctx.db, owner, labels)
      const byTitle = new Map(found.toReversed().map((label) => [label.title, label.id]))
      store.setLabels(ctx.db, board.id, [...byTitle.values()])
    }
    const changed = Object.entries(columns).filter(([, value]) => value !== undefined)
    return store.update(ctx.db, board.id, { ...Object.fromEntries(changed), updated_at: ctx.now })
  })
}

function unset(given: BoardChanges, name: 'milestone_id' | 'assignee_id'): BoardChanges {
  return given[name] === 0 ? { [name]: null } : {}
}

/** Throws 400 unless a milestone can be used here, and a user is one. */
export function checkTargets(
  ctx: Ctx,
  owner: LabelOwner,
  { milestone_id, assignee_id }: Pick<BoardChanges, 'milestone_id' | 'assignee_id'>,
): void {
  if (typeof milestone_id === 'number' && !usableMilestone(ctx.db, owner, milestone_id))
    throw fail('bad_request', { error: 'Milestone not found' })
  if (typeof assignee_id === 'number' && !usersById(ctx.db, [assignee_id]).has(assignee_id))
    throw fail('bad_request', { error: 'User not found' })
}
