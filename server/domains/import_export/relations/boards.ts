import { childrenOf, requiredText, textOf } from './checked.ts'
import * as field from './columns.ts'
import { columnsOf, recordOf, rowsAs, type ColumnMap, type StoredRow } from './columns.ts'
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
import { dependentRows } from './store.ts'
import { labelsOfBoard } from './store-planning.ts'

type BoardRow = StoredRow & { readonly id: number; readonly created_at: string; readonly updated_at: string }
type ListRow = StoredRow & { readonly label_id: number | null; readonly milestone_id: number | null }

/** The lists that every board has on this instance. Other instances store them as rows. */
const BUILT_IN_LISTS = ['backlog', 'closed'] as const
const NO_LIMITS = { max_issue_count: 0, max_issue_weight: 0, limit_metric: null }

const LIST_FIELDS: ColumnMap<ListRow> = {
  list_type: field.computed<ListRow>((row) =>
    row.label_id === null ? (row.milestone_id === null ? 'assignee' : 'milestone') : 'label',
  ),
  position: field.exported(),
  user_id: field.exported('assignee_id'),
  created_at: field.timeOrNow(),
  updated_at: field.updatedAt(),
  max_issue_count: field.integer({ min: 0 }, 0),
  max_issue_weight: field.constant(NO_LIMITS.max_issue_weight),
  limit_metric: field.constant(NO_LIMITS.limit_metric),
  label: field.computed<ListRow>((row, source) => labelRecord(source, row.label_id)),
  milestone: field.computed<ListRow>((row, source) => milestoneRecord(source, row.milestone_id)),
}

const FIELDS: ColumnMap<BoardRow> = {
  name: {
    write: (row) => row['name']!,
    read: (record) => ({ name: textOf(record, 'name', 255)?.trim() || 'Development' }),
  },
  weight: field.integer({ min: 0 }),
  hide_backlog_list: field.flag(),
  hide_closed_list: field.flag(),
  assignee_id: field.optionalPerson(),
  created_at: field.timeOrNow(),
  updated_at: field.updatedAt(),
  milestone: milestone(),
  labels: field.computed<BoardRow>((row, source) => labelRecords(labelsOfBoard(source, row.id), source)),
  lists: field.computed<BoardRow>(listRecords),
}

/** The issue boards of a project or group with their lists. */
export const boards = relation({
  name: 'boards',
  ownerKinds: ['project', 'group'],
  ...rowsAs('boards', FIELDS),
  importRecord: importBoard,
})

function listRecords({ id, created_at, updated_at }: BoardRow, source: Source): Fields[] {
  const lists = dependentRows<ListRow>(source, 'board_lists', { key: 'board_id', id, order: 'position, id' })
  const builtIn = BUILT_IN_LISTS.map((list_type) => ({
    list_type,
    position: null,
    user_id: null,
    created_at,
    updated_at,
    ...NO_LIMITS,
    label: null,
  }))
  return [...lists.map((list) => recordOf(LIST_FIELDS, list, source)), ...builtIn]
}

function importBoard(record: Fields, target: Target): void {
  const columns = columnsOf(FIELDS, record, target)
  const board_id = target.insert('boards', { [`${target.owner.kind}_id`]: target.owner.id, ...columns })
  importEach(target, 'labels', childrenOf(record, 'labels'), (label) => {
    requiredText(label, 'title', 255)
    const label_id = target.label(label)
    if (label_id !== null) target.link('board_labels', { board_id, label_id })
  })
  let position = 0
  const lists = childrenOf(record, 'lists')
    .filter((list) => !isBuiltIn(list))
    .sort((a, b) => Number(a['position'] ?? 0) - Number(b['position'] ?? 0))
  importEach(target, 'lists', lists, (list) => {
    const listWithTime = { ...list, created_at: list['created_at'] ?? columns['created_at']! }
    target.insert('board_lists', {
      board_id,
      ...listTarget(list, target),
      position,
      ...columnsOf(LIST_FIELDS, listWithTime, target),
    })
    position += 1
  })
}

/** Whether a list is one that every board has. Older archives have the numbers 0 and 2 for their types. */
function isBuiltIn({ list_type }: Fields): boolean {
  return list_type === 0 || list_type === 2 || BUILT_IN_LISTS.some((type) => type === list_type)
}

function listTarget(list: Fields, target: Target): Row {
  const label_id = target.label(list['label'])
  if (label_id !== null) return { label_id, assignee_id: null, milestone_id: null }
  const milestone_id = target.milestone(list['milestone'])
  if (milestone_id !== null) return { label_id: null, assignee_id: null, milestone_id }
  if (typeof list['user_id'] !== 'number') throw new UnusableRecord("label can't be blank")
  return { label_id: null, assignee_id: target.person(list['user_id']).id, milestone_id: null }
}
