import { childOf, childrenOf, requiredText, textOf, wholeOf } from './checked.ts'
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

/** The title by which labels and milestones are found. Throws UnusableRecord. */
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
  project_id: field.shown(),
  group_id: field.shown(),
  template: field.always(false),
  type: field.written<LabelRow>((row) => (row.group_id === null ? 'ProjectLabel' : 'GroupLabel')),
  created_at: field.timeOrNow(),
  updated_at: field.timeOrNow(),
  priorities: field.written<LabelRow>((row, from) =>
    from.owner.kind === 'project' ? prioritiesOf(from, row.id) : [],
  ),
}

/**
 * The labels of a project or group with their ranks; those of ancestor groups are part of the records that use them.
 */
export const labels = relation({
  name: 'labels',
  of: ['project', 'group'],
  records: (from) => labelRecords(labelsOf(from), from),
  count: (from) => countOf(from, 'labels'),
  importRecord: (record, into) => {
    const id = into.label(record)
    if (id === null) throw new UnusableRecord("title can't be blank")
    importPriorities(record, into, id)
  },
})

export function labelRecords(rows: readonly LabelRow[], from: Source): Fields[] {
  return rows.map((row) => recordOf(FIELDS, row, from))
}

export function labelRecord(from: Source, id: number | null): Fields | null {
  const row = id === null ? undefined : labelById(from, id)
  return row ? recordOf(FIELDS, row, from) : null
}

/** The columns of a label that the import creates. Throws UnusableRecord. */
export function labelColumns(record: Fields, into: Target): Row {
  return { [`${into.owner.kind}_id`]: into.owner.id, ...columnsOf(FIELDS, record, into) }
}

/** The labels of an issue or merge request. */
export function labelLinkRecords(from: Source, issuable: IssuableSubject): Fields[] {
  const records = labelRecords(labelsOfIssuable(from, issuable), from)
  return records.map((label) => ({ target_type: issuable.type, label }))
}

/** Imports the labels of an issue or merge request. */
export function importLabelLinks(records: readonly Fields[], into: Target, issuable: IssuableSubject): void {
  importEach(into, 'label_links', records, (record) => {
    const label = childOf(record, 'label')
    const label_id = label === null ? null : into.label(label)
    if (label === null || label_id === null) throw new UnusableRecord("label can't be blank")
    // Labels of the project have their rank already; the rank of a group's label comes with the link alone.
    if (label['type'] === 'GroupLabel') importPriorities(label, into, label_id)
    const table = issuable.type === 'Issue' ? 'issue_labels' : 'merge_request_labels'
    into.link(table, { [keyOf(issuable)]: issuable.id, label_id })
  })
}

/** Imports the rank of a label in the project, once. */
function importPriorities(label: Fields, into: Target, id: number): void {
  if (into.owner.kind !== 'project' || into.recall('label_priority', id) !== undefined) return
  into.remember('label_priority', id, id)
  importEach(into, 'priorities', childrenOf(label, 'priorities'), (record) => {
    const priority = wholeOf(record, 'priority', { min: 0 })
    if (priority === null) throw new UnusableRecord("priority can't be blank")
    into.link('label_priorities', { project_id: into.owner.id, label_id: id, priority })
  })
}
