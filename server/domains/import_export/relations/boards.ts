import { childOf, childrenOf, flagOf, requiredText, textOf, timeOf, wholeOf } from './checked.ts'
import { labelRecord, labelsWhere } from './children/label_links.ts'
import { milestoneRecord } from './children/milestone.ts'
import { takeEach } from './children/part.ts'
import { relation, UnusableRecord, type Fields, type Row, type Source, type Target } from './relation.ts'

interface BoardToWrite {
  readonly id: number
  readonly name: string
  readonly weight: number | null
  readonly hide_backlog_list: boolean
  readonly hide_closed_list: boolean
  readonly milestone_id: number | null
  readonly assignee_id: number | null
  readonly created_at: string
  readonly updated_at: string
}

interface ListToWrite {
  readonly label_id: number | null
  readonly assignee_id: number | null
  readonly milestone_id: number | null
  readonly position: number
  readonly created_at: string
  readonly updated_at: string
}

/** The lists that others keep as rows, and that every board has here. */
const FIXED = ['backlog', 'closed'] as const

/** The issue boards of a project or group with their lists. */
export const boards = relation({
  name: 'boards',
  of: ['project', 'group'],
  *records(from) {
    const sql = `SELECT * FROM boards WHERE ${from.owner.kind}_id = ? ORDER BY id`
    for (const board of from.db.many<BoardToWrite>(sql, from.owner.id)) yield boardRecord(from, board)
  },
  count: ({ db, owner }) =>
    db.one<{ count: number }>(`SELECT count(*) AS count FROM boards WHERE ${owner.kind}_id = ?`, owner.id)!
      .count,
  take: takeBoard,
})

function boardRecord(from: Source, { id, milestone_id, ...board }: BoardToWrite): Fields {
  const lists = from.db.many<ListToWrite>(
    'SELECT * FROM board_lists WHERE board_id = ? ORDER BY position, id',
    id,
  )
  return {
    name: board.name,
    weight: board.weight,
    hide_backlog_list: board.hide_backlog_list,
    hide_closed_list: board.hide_closed_list,
    assignee_id: board.assignee_id,
    created_at: board.created_at,
    updated_at: board.updated_at,
    milestone: milestoneRecord(from, milestone_id),
    labels: labelsWhere(from, 'l.id IN (SELECT label_id FROM board_labels WHERE board_id = ?)', id),
    lists: [...lists.map((list) => listRecord(from, list)), ...FIXED.map((type) => fixedList(type, board))],
  }
}

function listRecord(from: Source, list: ListToWrite): Fields {
  const list_type = list.label_id === null ? (list.milestone_id === null ? 'assignee' : 'milestone') : 'label'
  return {
    list_type,
    position: list.position,
    user_id: list.assignee_id,
    created_at: list.created_at,
    updated_at: list.updated_at,
    max_issue_count: 0,
    max_issue_weight: 0,
    limit_metric: null,
    label: labelRecord(from, list.label_id),
    milestone: milestoneRecord(from, list.milestone_id),
  }
}

function fixedList(
  list_type: string,
  { created_at, updated_at }: Omit<BoardToWrite, 'id' | 'milestone_id'>,
): Fields {
  const limits = { max_issue_count: 0, max_issue_weight: 0, limit_metric: null }
  return { list_type, position: null, user_id: null, created_at, updated_at, ...limits, label: null }
}

function takeBoard(record: Fields, into: Target): void {
  const created_at = timeOf(record, 'created_at') ?? into.now
  const assignee = record['assignee_id']
  const id = into.insert('boards', {
    [`${into.owner.kind}_id`]: into.owner.id,
    name: textOf(record, 'name', 255)?.trim() || 'Development',
    hide_backlog_list: flagOf(record, 'hide_backlog_list'),
    hide_closed_list: flagOf(record, 'hide_closed_list'),
    milestone_id: into.milestone(childOf(record, 'milestone') ?? undefined),
    assignee_id: typeof assignee === 'number' ? into.person(assignee).id : null,
    weight: wholeOf(record, 'weight', { min: 0 }),
    created_at,
    updated_at: timeOf(record, 'updated_at') ?? created_at,
  })
  takeEach(into, 'labels', childrenOf(record, 'labels'), (label) => {
    requiredText(label, 'title', 255)
    const label_id = into.label(label)
    if (label_id !== null) into.link('board_labels', { board_id: id, label_id })
  })
  let position = 0
  const lists = childrenOf(record, 'lists')
    .filter((list) => !isFixed(list))
    .sort(byPosition)
  takeEach(into, 'lists', lists, (list) => {
    const list_created_at = timeOf(list, 'created_at') ?? created_at
    into.insert('board_lists', {
      board_id: id,
      ...listTarget(list, into),
      position,
      created_at: list_created_at,
      updated_at: timeOf(list, 'updated_at') ?? list_created_at,
    })
    position += 1
  })
}

/** Older archives have numbers for the types: 0 and 2 for those that every board has. */
function isFixed({ list_type }: Fields): boolean {
  return list_type === 0 || list_type === 2 || FIXED.some((type) => type === list_type)
}

function byPosition(a: Fields, b: Fields): number {
  return Number(a['position'] ?? 0) - Number(b['position'] ?? 0)
}

function listTarget(list: Fields, into: Target): Row {
  const label_id = into.label(childOf(list, 'label') ?? undefined)
  if (label_id !== null) return { label_id, assignee_id: null, milestone_id: null }
  const milestone_id = into.milestone(childOf(list, 'milestone') ?? undefined)
  if (milestone_id !== null) return { label_id: null, assignee_id: null, milestone_id }
  if (typeof list['user_id'] !== 'number') throw new UnusableRecord("label can't be blank")
  return { label_id: null, assignee_id: into.person(list['user_id']).id, milestone_id: null }
}
