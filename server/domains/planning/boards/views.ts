import type { Ctx } from '../../../ctx.ts'
import { labelsByIds } from '../labels/store.ts'
import { milestonesByIds } from '../milestones/store.ts'
import { namespaceById } from '../../namespaces/index.ts'
import { projectById, viewOf } from '../../projects/index.ts'
import { usersById } from '../../users/index.ts'
import type { BoardRow, ListRow } from './board.ts'
import type { BoardGroup, BoardView, ListView } from './entity.ts'
import * as store from './store.ts'

const idsOf = (ids: readonly (number | null)[]): number[] => [
  ...new Set(ids.filter((id): id is number => id !== null)),
]

/** Lists with what they are about. */
export function listViews(ctx: Ctx, lists: readonly ListRow[]): ListView[] {
  const labels = labelsByIds(ctx.db, idsOf(lists.map((list) => list.label_id)))
  const users = usersById(ctx.db, idsOf(lists.map((list) => list.assignee_id)))
  const milestones = milestonesByIds(ctx.db, idsOf(lists.map((list) => list.milestone_id)))
  return lists.map((list) => ({
    list,
    label: labels.get(list.label_id ?? 0),
    assignee: users.get(list.assignee_id ?? 0),
    milestone: milestones.get(list.milestone_id ?? 0),
  }))
}

/** Boards of one owner as their answers show them. */
export function boardViews(ctx: Ctx, boards: readonly BoardRow[]): BoardView[] {
  const [first] = boards
  if (!first) return []
  const ids = boards.map((board) => board.id)
  const lists = listViews(ctx, store.listsOf(ctx.db, ids))
  const limits = store.labelIds(ctx.db, ids)
  const labels = labelsByIds(ctx.db, idsOf(limits.map((limit) => limit.label_id)))
  const users = usersById(ctx.db, idsOf(boards.map((board) => board.assignee_id)))
  const milestones = milestonesByIds(ctx.db, idsOf(boards.map((board) => board.milestone_id)))
  const project = first.project_id === null ? undefined : viewOf(ctx, projectById(ctx.db, first.project_id)!)
  const group = first.group_id === null ? undefined : namespaceById(ctx.db, first.group_id)
  return boards.map((board) => ({
    board,
    project,
    group: group as BoardGroup | undefined,
    milestone: milestones.get(board.milestone_id ?? 0),
    assignee: users.get(board.assignee_id ?? 0),
    labels: limits
      .filter((limit) => limit.board_id === board.id)
      .flatMap((limit) => labels.get(limit.label_id) ?? []),
    lists: lists.filter((view) => view.list.board_id === board.id),
  }))
}
