import { childrenOf, requiredText, textOf } from './checked.ts'
import * as field from './columns.ts'
import { columnsOf, recordOf, rowsAs, type ColumnMap, type Stored } from './columns.ts'
import { labelRecord, labelRecords } from './labels.ts'
import { milestone, milestoneRecord } from './milestones.ts'
import {
  relation,
  importEach,
  UnusableRecord,
  type Fields,
  type Row,
  type Source,
  type Target,
} from './relation.ts'
import { partsOf } from './store.ts'
import { labelsOfBoard } from './store-planning.ts'

type BoardRow = Stored & { readonly id: number; readonly created_at: string; readonly updated_at: string }
type ListRow = Stored & { readonly label_id: number | null; readonly milestone_id: number | null }

/** The lists that every board has here; other instances store them as rows. */
const FIXED = ['backlog', 'closed'] as const
const LIMITS = { max_issue_count: 0, max_issue_weight: 0, limit_metric: null }

const LIST_FIELDS: ColumnMap<ListRow> = {
  list_type: field.written<ListRow>((row) =>
    row.label_id === null ? (row.milestone_id === null ? 'assignee' : 'milestone') : 'label',
  ),
  position: field.shown(),
  user_id: field.shown('assignee_id'),
  created_at: field.timeOrNow(),
  updated_at: field.updatedAt(),
  max_issue_count: field.integer({ min: 0 }, 0),
  max_issue_weight: field.always(LIMITS.max_issue_weight),
  limit_metric: field.always(LIMITS.limit_metric),
  label: field.written<ListRow>((row, from) => labelRecord(from, row.label_id)),
  milestone: field.written<ListRow>((row, from) => milestoneRecord(from, row.milestone_id)),
}

const FIELDS: ColumnMap<BoardRow> = {
  name: {
    write: (row) => row['name']!,
    read: (record) => ({ name: textOf(record, 'name', 255)?.trim() || 'Development' }),
  },
  weight: field.integer({ min: 0 }),
  hide_backlog_list: field.flag(),
  hide_closed_list: field.flag(),
  assignee_id: field.maybePerson(),
  created_at: field.timeOrNow(),
  updated_at: field.updatedAt(),
  milestone: milestone(),
  labels: field.written<BoardRow>((row, from) => labelRecords(labelsOfBoard(from, row.id), from)),
  lists: field.written<BoardRow>(listRecords),
}

/** The issue boards of a project or group with their lists. */
export const boards = relation({
  name: 'boards',
  of: ['project', 'group'],
  ...rowsAs('boards', FIELDS),
  importRecord: importBoard,
})

function listRecords({ id, created_at, updated_at }: BoardRow, from: Source): Fields[] {
  const lists = partsOf<ListRow>(from, 'board_lists', { key: 'board_id', id, order: 'position, id' })
  const fixed = FIXED.map((list_type) => ({
    list_type,
    position: null,
    user_id: null,
    created_at,
    updated_at,
    ...LIMITS,
    label: null,
  }))
  return [...lists.map((list) => recordOf(LIST_FIELDS, list, from)), ...fixed]
}

function importBoard(record: Fields, into: Target): void {
  const columns = columnsOf(FIELDS, record, into)
  const board_id = into.insert('boards', { [`${into.owner.kind}_id`]: into.owner.id, ...columns })
  importEach(into, 'labels', childrenOf(record, 'labels'), (label) => {
    requiredText(label, 'title', 255)
    const label_id = into.label(label)
    if (label_id !== null) into.link('board_labels', { board_id, label_id })
  })
  let position = 0
  const lists = childrenOf(record, 'lists')
    .filter((list) => !isFixed(list))
    .sort((a, b) => Number(a['position'] ?? 0) - Number(b['position'] ?? 0))
  importEach(into, 'lists', lists, (list) => {
    const dated = { ...list, created_at: list['created_at'] ?? columns['created_at']! }
    into.insert('board_lists', {
      board_id,
      ...listTarget(list, into),
      position,
      ...columnsOf(LIST_FIELDS, dated, into),
    })
    position += 1
  })
}

/** Older archives have numbers for the types: 0 and 2 for those that every board has. */
function isFixed({ list_type }: Fields): boolean {
  return list_type === 0 || list_type === 2 || FIXED.some((type) => type === list_type)
}

function listTarget(list: Fields, into: Target): Row {
  const label_id = into.label(list['label'])
  if (label_id !== null) return { label_id, assignee_id: null, milestone_id: null }
  const milestone_id = into.milestone(list['milestone'])
  if (milestone_id !== null) return { label_id: null, assignee_id: null, milestone_id }
  if (typeof list['user_id'] !== 'number') throw new UnusableRecord("label can't be blank")
  return { label_id: null, assignee_id: into.person(list['user_id']).id, milestone_id: null }
}
