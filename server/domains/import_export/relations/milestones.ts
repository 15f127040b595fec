import { childrenOf, iidOf, requiredText } from './checked.ts'
import * as field from './columns.ts'
import { columnsOf, recordOf, type ColumnMap, type Field } from './columns.ts'
import { eventRecords, importEvents } from './activity.ts'
import { titleOf } from './labels.ts'
import { relation, UnusableRecord, type Fields, type Row, type Source, type Target } from './relation.ts'
import { countOf, rowsOf } from './store.ts'
import { milestoneById, type MilestoneRow } from './store-planning.ts'

const FIELDS: ColumnMap<MilestoneRow> = {
  iid: field.exported(),
  title: { write: (row) => row.title, read: (record) => ({ title: titleOf(record) }) },
  description: field.text(),
  state: field.choice(['active', 'closed'], 'active'),
  due_date: field.day(),
  start_date: field.day(),
  project_id: field.exported(),
  group_id: field.exported(),
  created_at: field.timeOrNow(),
  updated_at: field.timeOrNow(),
}

/** The milestones of a project or group. The records that use milestones of ancestor groups contain them. */
export const milestones = relation({
  name: 'milestones',
  ownerKinds: ['project', 'group'],
  *records(source) {
    for (const row of rowsOf<MilestoneRow>(source, 'milestones')) {
      const isProjectMilestone = source.owner.kind === 'project'
      const events = isProjectMilestone ? eventRecords(source, { type: 'Milestone', id: row.id }) : []
      yield { ...recordOf(FIELDS, row, source), events }
    }
  },
  count: (source) => countOf(source, 'milestones'),
  importRecord: (record, target) => {
    const id = target.milestone(record)
    if (id === null) throw new UnusableRecord("title can't be blank")
    const { kind, id: project_id } = target.owner
    const events = childrenOf(record, 'events')
    if (kind !== 'project' || events.length === 0) return
    const display = { iid: iidOf(record), title: requiredText(record, 'title') }
    importEvents(events, target, { type: 'Milestone', id, project_id }, display)
  },
})

/** The columns of a milestone that the import creates. Throws UnusableRecord. */
export function milestoneColumns(record: Fields, target: Target, iid: number): Row {
  return { [`${target.owner.kind}_id`]: target.owner.id, iid, ...columnsOf(FIELDS, record, target) }
}

/** The nested record of a milestone; null if there is none. */
export function milestoneRecord(source: Source, id: number | null): Fields | null {
  const row = id === null ? undefined : milestoneById(source, id)
  return row ? { ...recordOf(FIELDS, row, source), events: [] } : null
}

/**
 * The field for the milestone of a record. The milestone belongs to the owner or an ancestor group. An import finds it
 * by its title or creates it.
 */
export const milestone = (): Field => ({
  write: (row, source) => milestoneRecord(source, row['milestone_id'] as number | null),
  read: (record, target) => ({ milestone_id: target.milestone(record['milestone']) }),
})
