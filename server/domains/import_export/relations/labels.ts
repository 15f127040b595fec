import { childOf, childrenOf, requiredText, textOf, integerOf } from './checked.ts'
import * as field from './columns.ts'
import { columnsOf, recordOf, type ColumnMap } from './columns.ts'
import {
  relation,
  importEach,
  UnusableRecord,
  type Fields,
  type Row,
  type Source,
  type Target,
} from './relation.ts'
import { countOf } from './store.ts'
import {
  keyOf,
  labelById,
  labelsOf,
  labelsOfIssuable,
  prioritiesOf,
  type IssuableSubject,
  type LabelRow,
} from './store-planning.ts'

const DEFAULT_COLOR = '#428BCA'
const MAX_TITLE = 255

/** The title of a label or milestone, by which it is found. Throws UnusableRecord. */
export function titleOf(record: Fields): string {
  return requiredText(record, 'title', MAX_TITLE).trim()
}

const FIELDS: ColumnMap<LabelRow> = {
  title: { write: (row) => row.title, read: (record) => ({ title: titleOf(record) }) },
  color: {
    write: (row) => row.color,
    read: (record) => {
      const color = textOf(record, 'color', 100) ?? ''
      return { color: /^#[0-9a-f]{6}$/i.test(color) ? color : DEFAULT_COLOR }
    },
  },
  description: field.text(),
  project_id: field.exported(),
  group_id: field.exported(),
  template: field.constant(false),
  type: field.computed<LabelRow>((row) => (row.group_id === null ? 'ProjectLabel' : 'GroupLabel')),
  created_at: field.timeOrNow(),
  updated_at: field.timeOrNow(),
  priorities: field.computed<LabelRow>((row, source) =>
    source.owner.kind === 'project' ? prioritiesOf(source, row.id) : [],
  ),
}

/**
 * The labels of a project or group with their priorities. The records that use labels of ancestor groups contain them.
 */
export const labels = relation({
  name: 'labels',
  ownerKinds: ['project', 'group'],
  records: (source) => labelRecords(labelsOf(source), source),
  count: (source) => countOf(source, 'labels'),
  importRecord: (record, target) => {
    const id = target.label(record)
    if (id === null) throw new UnusableRecord("title can't be blank")
    importPriorities(record, target, id)
  },
})

export function labelRecords(rows: readonly LabelRow[], source: Source): Fields[] {
  return rows.map((row) => recordOf(FIELDS, row, source))
}

export function labelRecord(source: Source, id: number | null): Fields | null {
  const row = id === null ? undefined : labelById(source, id)
  return row ? recordOf(FIELDS, row, source) : null
}

/** The columns of a label that the import creates. Throws UnusableRecord. */
export function labelColumns(record: Fields, target: Target): Row {
  return { [`${target.owner.kind}_id`]: target.owner.id, ...columnsOf(FIELDS, record, target) }
}

/** The labels of an issue or merge request. */
export function labelLinkRecords(source: Source, issuable: IssuableSubject): Fields[] {
  const records = labelRecords(labelsOfIssuable(source, issuable), source)
  return records.map((label) => ({ target_type: issuable.type, label }))
}

/** Imports the labels of an issue or merge request. */
export function importLabelLinks(
  records: readonly Fields[],
  target: Target,
  issuable: IssuableSubject,
): void {
  importEach(target, 'label_links', records, (record) => {
    const label = childOf(record, 'label')
    const label_id = label === null ? null : target.label(label)
    if (label === null || label_id === null) throw new UnusableRecord("label can't be blank")
    // The relation `labels` has imported the priorities of project labels. Only links contain those of group labels.
    if (label['type'] === 'GroupLabel') importPriorities(label, target, label_id)
    const table = issuable.type === 'Issue' ? 'issue_labels' : 'merge_request_labels'
    target.link(table, { [keyOf(issuable)]: issuable.id, label_id })
  })
}

/** Imports the priority of a label in the project, unless it was imported before. */
function importPriorities(label: Fields, target: Target, id: number): void {
  if (target.owner.kind !== 'project' || target.recall('label_priority', id) !== undefined) return
  target.remember('label_priority', id, id)
  importEach(target, 'priorities', childrenOf(label, 'priorities'), (record) => {
    const priority = integerOf(record, 'priority', { min: 0 })
    if (priority === null) throw new UnusableRecord("priority can't be blank")
    target.link('label_priorities', { project_id: target.owner.id, label_id: id, priority })
  })
}
