import { q } from '../../../../db/database.ts'
import { isObjectId } from '../../../../git/names.ts'
import { labelsTitled, projectOwner } from '../../../planning/index.ts'
import { milestoneTitled } from '../../../planning/index.ts'
import { once, projectOf, thingAt, type ImportTarget } from './target.ts'
import type { NewEvent, NewLabelEvent, NewMilestoneEvent, NewStateEvent } from './inputs.ts'
import { labelTitle } from './labels.ts'
import { insertNote } from './note-row.ts'
import { accountOf } from './people.ts'
import { textOf, timeOf } from './texts.ts'

/** See Landing.event. */
export function landEvent(target: ImportTarget, given: NewEvent): number | null {
  return once(target, 'event', given.source_key, () => write(target, given))
}

function write(target: ImportTarget, given: NewEvent): number | null {
  switch (given.event) {
    case 'closed':
    case 'reopened':
    case 'merged':
      return writeState(target, given)
    case 'labeled':
    case 'unlabeled':
      return writeLabel(target, given)
    case 'milestoned':
    case 'demilestoned':
      return writeMilestone(target, given)
    default:
      return insertNote(target, {
        on: { kind: given.on.kind, id: thingAt(target, given.on).id },
        author_id: accountOf(target, given.actor).id,
        note: textOf(given.body),
        action: given.action,
        system: true,
        created_at: timeOf(given.created_at),
      })
  }
}

/** What all events of a resource say. */
function common(target: ImportTarget, given: NewEvent) {
  const { id } = thingAt(target, given.on)
  const isIssue = given.on.kind === 'Issue'
  return {
    issue_id: isIssue ? id : null,
    merge_request_id: isIssue ? null : id,
    user_id: accountOf(target, given.actor).id,
    created_at: timeOf(given.created_at),
  }
}

function writeState(target: ImportTarget, given: NewStateEvent): number | null {
  const { db } = target.ctx
  const row = common(target, given)
  // Hosts that tell of both mean one thing.
  if (given.event === 'closed' && isMerged(target, row.merge_request_id)) return null
  const source_commit = given.commit && isObjectId(given.commit) ? given.commit : null
  // Who closed it is told here alone by hosts that list things without it.
  if (given.event === 'closed') {
    const table = row.issue_id === null ? 'merge_requests' : 'issues'
    db.exec(
      `UPDATE ${table} SET closed_by_id = ? WHERE id = ? AND state = 'closed'`,
      row.user_id,
      row.issue_id ?? row.merge_request_id,
    )
  }
  return db.run(q.insertInto('resource_state_events').values({ ...row, state: given.event, source_commit }))
    .id
}

function isMerged({ ctx }: ImportTarget, requestId: number | null): boolean {
  const sql = "SELECT 1 FROM merge_requests WHERE id = ? AND state = 'merged'"
  return requestId !== null && ctx.db.one(sql, requestId) !== undefined
}

function writeLabel(target: ImportTarget, given: NewLabelEvent): number {
  const { db } = target.ctx
  // One that is gone by now is an event without a label.
  const label = labelsTitled(db, projectOwner(projectOf(target)), [labelTitle(given.label)])[0]
  const action = given.event === 'labeled' ? 'add' : 'remove'
  const row = { ...common(target, given), label_id: label?.id ?? null, action }
  return db.run(q.insertInto('resource_label_events').values(row)).id
}

function writeMilestone(target: ImportTarget, given: NewMilestoneEvent): number | null {
  const milestone = milestoneTitled(target.ctx.db, projectOf(target), given.milestone)
  if (!milestone) return null
  const action = given.event === 'milestoned' ? 'add' : 'remove'
  return target.ctx.db.run(
    q.insertInto('resource_milestone_events').values({
      ...common(target, given),
      milestone_id: milestone.id,
      action,
      state: 'opened',
    }),
  ).id
}
