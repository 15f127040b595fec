import type { Insertable } from 'kysely'

import { jsonList, q, type Database } from '../../db/database.ts'
import type {
  IssuesTable,
  LabelsTable,
  MilestonesTable,
  ResourceLabelEventsTable,
  ResourceMilestoneEventsTable,
  ResourceStateEventsTable,
} from '../../db/schema.gen.ts'

// Writes of imported issues, labels and milestones, and of what happened to them. They publish no events.

type Kind = keyof typeof ISSUABLES

const ISSUABLES = { Issue: 'issues', MergeRequest: 'merge_requests' } as const

/** An issue or merge request of a project, by its number. */
export function issuableAt(
  db: Database,
  projectId: number,
  { kind, iid }: { kind: Kind; iid: number },
): { id: number; iid: number } | undefined {
  return db.one(`SELECT id, iid FROM ${ISSUABLES[kind]} WHERE project_id = ? AND iid = ?`, projectId, iid)
}

/** Inserts an issue. Returns its id. */
export function insertIssue(db: Database, row: Insertable<IssuesTable>): number {
  return db.run(q.insertInto('issues').values(row)).id
}

const JOINS = {
  Issue: { labels: 'issue_labels', assignees: 'issue_assignees', key: 'issue_id' },
  MergeRequest: {
    labels: 'merge_request_labels',
    assignees: 'merge_request_assignees',
    key: 'merge_request_id',
  },
} as const

/** Assigns users to an issue or merge request; existing assignees stay. */
export function addAssignees(
  db: Database,
  { kind, id }: { kind: Kind; id: number },
  userIds: readonly number[],
): void {
  const { assignees, key } = JOINS[kind]
  db.exec(
    `INSERT INTO ${assignees} (${key}, user_id) SELECT ?, value FROM json_each(?) WHERE true ON CONFLICT DO NOTHING`,
    id,
    jsonList(userIds),
  )
}

/** Adds labels to an issue or merge request. */
export function addLabels(
  db: Database,
  { kind, id }: { kind: Kind; id: number },
  labelIds: readonly number[],
): void {
  const { labels, key } = JOINS[kind]
  db.exec(
    `INSERT INTO ${labels} (${key}, label_id) SELECT ?, value FROM json_each(?) WHERE true ON CONFLICT DO NOTHING`,
    id,
    jsonList(labelIds),
  )
}

/** Inserts a label. Returns its id. */
export function insertLabel(db: Database, row: Insertable<LabelsTable>): number {
  return db.run(q.insertInto('labels').values(row)).id
}

/** Inserts a milestone. Returns its id. */
export function insertMilestone(db: Database, row: Insertable<MilestonesTable>): number {
  return db.run(q.insertInto('milestones').values(row)).id
}

/** Inserts a change of state. Returns its id. */
export function insertStateEvent(db: Database, row: Insertable<ResourceStateEventsTable>): number {
  return db.run(q.insertInto('resource_state_events').values(row)).id
}

/** Inserts a label that was added or removed. Returns its id. */
export function insertLabelEvent(db: Database, row: Insertable<ResourceLabelEventsTable>): number {
  return db.run(q.insertInto('resource_label_events').values(row)).id
}

/** Inserts a milestone that was set or removed. Returns its id. */
export function insertMilestoneEvent(db: Database, row: Insertable<ResourceMilestoneEventsTable>): number {
  return db.run(q.insertInto('resource_milestone_events').values(row)).id
}

/** Records who closed an issue or merge request that is closed. */
export function setCloser(db: Database, { kind, id }: { kind: Kind; id: number }, userId: number): void {
  db.exec(`UPDATE ${ISSUABLES[kind]} SET closed_by_id = ? WHERE id = ? AND state = 'closed'`, userId, id)
}

/** Restarts the numbering of issues, merge requests and milestones. */
export function resetNumbers(db: Database, projectId: number): void {
  db.exec('DELETE FROM internal_ids WHERE project_id = ?', projectId)
}
