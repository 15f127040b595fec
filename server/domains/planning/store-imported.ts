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

// Writes of imported issues, labels, milestones and resource events. They publish no events.

type Kind = keyof typeof ISSUABLES

const ISSUABLES = { Issue: 'issues', MergeRequest: 'merge_requests' } as const

/** Returns the issue or merge request with an IID in a project. */
export function issuableAt(
  db: Database,
  projectId: number,
  { kind, iid }: { kind: Kind; iid: number },
): { id: number; iid: number } | undefined {
  return db.one(`SELECT id, iid FROM ${ISSUABLES[kind]} WHERE project_id = ? AND iid = ?`, projectId, iid)
}

/** Inserts an issue. Returns its ID. */
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

/** Inserts a label. Returns its ID. */
export function insertLabel(db: Database, row: Insertable<LabelsTable>): number {
  return db.run(q.insertInto('labels').values(row)).id
}

/** Inserts a milestone. Returns its ID. */
export function insertMilestone(db: Database, row: Insertable<MilestonesTable>): number {
  return db.run(q.insertInto('milestones').values(row)).id
}

/** Inserts the event of a change of the state. Returns its ID. */
export function insertStateEvent(db: Database, row: Insertable<ResourceStateEventsTable>): number {
  return db.run(q.insertInto('resource_state_events').values(row)).id
}

/** Inserts the event of a label that was added or removed. Returns its ID. */
export function insertLabelEvent(db: Database, row: Insertable<ResourceLabelEventsTable>): number {
  return db.run(q.insertInto('resource_label_events').values(row)).id
}

/** Inserts the event of a milestone that was set or removed. Returns its ID. */
export function insertMilestoneEvent(db: Database, row: Insertable<ResourceMilestoneEventsTable>): number {
  return db.run(q.insertInto('resource_milestone_events').values(row)).id
}

/** Sets the user who closed an issue or merge request. Does nothing if it is not closed. */
export function setCloser(db: Database, { kind, id }: { kind: Kind; id: number }, userId: number): void {
  db.exec(`UPDATE ${ISSUABLES[kind]} SET closed_by_id = ? WHERE id = ? AND state = 'closed'`, userId, id)
}

/** Restarts the IIDs of the issues, merge requests and milestones of a project. */
export function resetNumbers(db: Database, projectId: number): void {
  db.exec('DELETE FROM internal_ids WHERE project_id = ?', projectId)
}
