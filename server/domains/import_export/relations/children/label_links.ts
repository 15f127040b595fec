import { childOf, childrenOf, wholeOf } from '../checked.ts'
import { UnusableRecord, type Fields, type Source, type Target } from '../relation.ts'
import { takeEach } from './part.ts'
import { keyOf, type IssuableSubject } from './subject.ts'

interface LabelToWrite {
  readonly id: number
  readonly title: string
  readonly color: string
  readonly description: string | null
  readonly project_id: number | null
  readonly group_id: number | null
  readonly created_at: string
  readonly updated_at: string
}

const COLUMNS = 'l.id, l.title, l.color, l.description, l.project_id, l.group_id, l.created_at, l.updated_at'

/** A label with how the project ranks it. */
export function labelFields(from: Source, label: LabelToWrite): Fields {
  const { id, title, color, description, project_id, group_id, created_at, updated_at } = label
  return {
    title,
    color,
    description,
    project_id,
    group_id,
    template: false,
    type: group_id === null ? 'ProjectLabel' : 'GroupLabel',
    created_at,
    updated_at,
    priorities:
      from.owner.kind === 'project'
        ? from.db.many<Fields>(
            'SELECT project_id, priority FROM label_priorities WHERE label_id = ? AND project_id = ?',
            id,
            from.owner.id,
          )
        : [],
  }
}

/** The labels that an owner can be the source of: its own, or those that a condition on `l` finds. */
export function labelsWhere(from: Source, condition: string, ...parameters: readonly unknown[]): Fields[] {
  const rows = from.db.many<LabelToWrite>(
    `SELECT ${COLUMNS} FROM labels l WHERE ${condition} ORDER BY l.title, l.id`,
    ...parameters,
  )
  return rows.map((row) => labelFields(from, row))
}

/** The label of that id; null without one. */
export function labelRecord(from: Source, id: number | null): Fields | null {
  return id === null ? null : (labelsWhere(from, 'l.id = ?', id)[0] ?? null)
}

/** The labels that an issue or a merge request has. */
export function labelLinkRecords(from: Source, issuable: IssuableSubject): Fields[] {
  const key = keyOf(issuable)
  const table = issuable.type === 'Issue' ? 'issue_labels' : 'merge_request_labels'
  const labels = labelsWhere(from, `l.id IN (SELECT label_id FROM ${table} WHERE ${key} = ?)`, issuable.id)
  return labels.map((label) => ({ target_type: issuable.type, label }))
}

/** Gives an issue or a merge request its labels. */
export function takeLabelLinks(records: readonly Fields[], into: Target, issuable: IssuableSubject): void {
  takeEach(into, 'label_links', records, (record) => {
    const given = childOf(record, 'label')
    const label = into.label(given ?? undefined)
    if (given === null || label === null) throw new UnusableRecord("label can't be blank")
    // Those of the project have their rank already; those of groups have no other place for it.
    if (given['type'] === 'GroupLabel') takePriorities(given, into, label)
    const table = issuable.type === 'Issue' ? 'issue_labels' : 'merge_request_labels'
    into.link(table, { [keyOf(issuable)]: issuable.id, label_id: label })
  })
}

/** Takes over how the project ranks a label, once. */
export function takePriorities(label: Fields, into: Target, id: number): void {
  if (into.owner.kind !== 'project' || into.recall('label_priority', id) !== undefined) return
  into.remember('label_priority', id, id)
  takeEach(into, 'priorities', childrenOf(label, 'priorities'), (record) => {
    const priority = wholeOf(record, 'priority', { min: 0 })
    if (priority === null) throw new UnusableRecord("priority can't be blank")
    into.link('label_priorities', { project_id: into.owner.id, label_id: id, priority })
  })
}
