import { childrenOf, iidOf, requiredText } from './checked.ts'
import * as field from './columns.ts'
import { columnsOf, recordOf, type ColumnMap, type Field } from './columns.ts'
import { eventRecords, importEvents } from './activity.ts'
import { titleOf } from './labels.ts'
import { relation, UnusableRecord, type Fields, type Row, type Source, type Target } from './relation.ts'
import { countOf, rowsOf } from './store.ts'
import { milestoneById, type MilestoneRow } from './store-planning.ts'

const FIELDS: ColumnMap<MilestoneRow> = {
  iid: field.shown(),
  title: { write: (row) => row.title, read: (record) => ({ title: titleOf(record) }) },
  description: field.text(),
  state: field.choice(['active', 'closed'], 'active'),
  due_date: field.day(),
  start_date: field.day(),
  project_id: field.shown(),
  group_id: field.shown(),
  created_at: field.timeOrNow(),
  updated_at: field.timeOrNow(),
}

/** The milestones of a project or group; those of ancestor groups are part of the records that use them. */
export const milestones = relation({
  name: 'milestones',
  of: ['project', 'group'],
  *records(from) {
    for (const row of rowsOf<MilestoneRow>(from, 'milestones')) {
      const isOfProject = from.owner.kind === 'project'
      const events = isOfProject ? eventRecords(from, { type: 'Milestone', id: row.id }) : []
      yield { ...recordOf(FIELDS, row, from), events }
    }
  },
  count: (from) => countOf(from, 'milestones'),
  importRecord: (record, into) => {
    const id = into.milestone(record)
    if (id === null) throw new UnusableRecord("title can't be blank")
    const { kind, id: project_id } = into.owner
    const events = childrenOf(record, 'events')
    if (kind !== 'project' || events.length === 0) return
    const shownAs = { iid: iidOf(record), title: requiredText(record, 'title') }
    importEvents(events, into, { type: 'Milestone', id, project_id }, shownAs)
  },
})

/** The columns of a milestone that the import creates. Throws UnusableRecord. */
export function milestoneColumns(record: Fields, into: Target, iid: number): Row {
  return { [`${into.owner.kind}_id`]: into.owner.id, iid, ...columnsOf(FIELDS, record, into) }
}

/** The milestone of a record; null without one. */
export function milestoneRecord(from: Source, id: number | null): Fields | null {
  const row = id === null ? undefined : milestoneById(from, id)
  return row ? { ...recordOf(FIELDS, row, from), events: [] } : null
}

/**
 * The field of records that have a milestone: it belongs to the owner or an ancestor group, and is found by its title
 * or created.
 */
export const milestone = (): Field => ({
  write: (row, from) => milestoneRecord(from, row['milestone_id'] as number | null),
  read: (record, into) => ({ milestone_id: into.milestone(record['milestone']) }),
})
