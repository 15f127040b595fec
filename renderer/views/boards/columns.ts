import type { Item } from '../../api/client.ts'
import { t } from '../../locales/t.ts'

export type Board = Item<'GET /projects/:id/boards'>
export type BoardList = Board['lists'][number]
export type Card = Item<'GET /projects/:id/issues'>

/** A column of a board: one of its lists, or the issues outside of them. */
export type Column = {
  key: string
  title: string
  kind: 'open' | 'label' | 'assignee' | 'milestone' | 'closed'
  list: BoardList | null
  colour?: string
}

export type Patch = Partial<{
  add_labels: string[]
  remove_labels: string[]
  assignee_ids: number[]
  milestone_id: number
  state_event: 'close' | 'reopen'
}>

const columnOf = (list: BoardList): Column => {
  const key = `list-${list.id}`
  if (list.label) return { key, title: list.label.name, kind: 'label', list, colour: list.label.color }
  if (list.assignee) return { key, title: list.assignee.name, kind: 'assignee', list }
  return { key, title: list.milestone?.title ?? '', kind: 'milestone', list }
}

/** Open issues, the lists of the board in order, closed issues. */
export const columnsOf = (board: Board): Column[] => [
  ...(board.hide_backlog_list
    ? []
    : [{ key: 'open', title: t('boards.open'), kind: 'open' as const, list: null } satisfies Column]),
  ...board.lists.toSorted((a, b) => a.position - b.position).map(columnOf),
  ...(board.hide_closed_list
    ? []
    : [{ key: 'closed', title: t('boards.closed'), kind: 'closed' as const, list: null } satisfies Column]),
]

/** The filters of a column for a list of issues. */
export const filtersOf = (board: Board, column: Column, columns: readonly Column[]) => {
  const lists = columns.flatMap((one) => one.list ?? [])
  const labels = [
    ...board.labels.map((one) => one.name),
    ...(column.list?.label ? [column.list.label.name] : []),
  ]
  const assignee = column.list?.assignee ?? board.assignee
  const milestone = column.list?.milestone ?? board.milestone
  const excluded = column.kind === 'open' ? lists.flatMap((one) => one.label?.name ?? []) : []
  return {
    state: column.kind === 'closed' ? ('closed' as const) : ('opened' as const),
    order_by: column.kind === 'closed' ? ('updated_at' as const) : ('relative_position' as const),
    sort: column.kind === 'closed' ? ('desc' as const) : ('asc' as const),
    labels: labels.length > 0 ? labels : undefined,
    assignee_username: assignee ? [assignee.username] : undefined,
    milestone: milestone?.title,
    not: excluded.length > 0 ? { labels: excluded } : undefined,
    with_labels_details: true,
  }
}

/** False for an open issue that belongs to one of the lists, which the filters of the server cannot all exclude. */
export const isOutside = (card: Card, columns: readonly Column[]): boolean =>
  !columns.some(
    ({ list }) =>
      (list?.milestone && card.milestone?.id === list.milestone.id) ||
      (list?.assignee && card.assignees.some((one) => one.id === list.assignee?.id)),
  )

/** The changes of an issue that move it from one column to another. */
export const patchOf = (card: Pick<Card, 'assignees'>, from: Column, to: Column): Patch => {
  if (from.key === to.key) return {}
  if (to.kind === 'closed') return { state_event: 'close' }
  const patch: Patch = from.kind === 'closed' ? { state_event: 'reopen' } : {}
  const { label, assignee } = to.list ?? {}
  if (label) patch.add_labels = [label.name]
  if (from.list?.label) patch.remove_labels = [from.list.label.name]
  if (assignee || from.list?.assignee) {
    const others = card.assignees.map((one) => one.id).filter((id) => id !== from.list?.assignee?.id)
    patch.assignee_ids = [...new Set([...others, ...(assignee ? [assignee.id] : [])])]
  }
  if (to.list?.milestone) patch.milestone_id = to.list.milestone.id
  else if (from.kind === 'milestone') patch.milestone_id = 0
  return patch
}

/** The neighbour that gives an issue its position: issues have positions in their own project only. */
export const neighbourOf = (cards: readonly Card[], index: number, projectId: number) => {
  const before = cards.slice(0, index).findLast((one) => one.project_id === projectId)
  if (before) return { move_before_id: before.id }
  const after = cards.slice(index).find((one) => one.project_id === projectId)
  return after ? { move_after_id: after.id } : null
}
