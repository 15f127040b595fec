import type { Fields, Source } from '../relation.ts'
import { eventRecords } from './feed.ts'

interface MilestoneToWrite extends Fields {
  readonly id: number
}

const COLUMNS = `m.id, m.iid, m.title, m.description, m.state, m.due_date, m.start_date, m.project_id, m.group_id,
  m.created_at, m.updated_at`

/** Milestones that a condition on `m` finds, with what the feed tells of them. */
export function milestonesWhere(
  from: Source,
  condition: string,
  ...parameters: readonly unknown[]
): Fields[] {
  const rows = from.db.many<MilestoneToWrite>(
    `SELECT ${COLUMNS} FROM milestones m WHERE ${condition} ORDER BY m.id`,
    ...parameters,
  )
  return rows.map(({ id, ...fields }) => ({
    ...fields,
    events: from.owner.kind === 'project' ? eventRecords(from, { type: 'Milestone', id }) : [],
  }))
}

/** The milestone of that id; null without one. It is taken over by `into.milestone`. */
export function milestoneRecord(from: Source, id: number | null): Fields | null {
  if (id === null) return null
  const found = milestonesWhere(from, 'm.id = ?', id)[0]
  return found ? { ...found, events: [] } : null
}
