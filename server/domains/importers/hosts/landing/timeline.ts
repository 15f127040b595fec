import { isObjectId } from '../../../../git/names.ts'
import { labelsTitled, milestoneTitled, projectOwner, importedPlanning } from '../../../planning/index.ts'
import { importedRequests } from '../../../merge_requests/index.ts'
import { insertNote } from './notes.ts'
import { accountOf } from './people.ts'
import { labelTitle } from './planning.ts'
import { issuableId, once, projectOf, textOf, timeOf, type ImportTarget } from './target.ts'
import type { NewEvent, NewLabelEvent, NewMilestoneEvent, NewStateEvent } from './types.ts'

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
        on: { kind: given.on.kind, id: issuableId(target, given.on) },
        author_id: accountOf(target, given.actor).id,
        note: textOf(given.body),
        action: given.action,
        system: true,
        created_at: timeOf(given.created_at),
      })
  }
}

/** The columns that all resource events share. */
function common(target: ImportTarget, given: NewEvent) {
  const id = issuableId(target, given.on)
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
  if (given.event === 'closed') {
    // A host may send both "closed" and "merged" for a merge; one event is enough.
    if (row.merge_request_id !== null && importedRequests.isMerged(db, row.merge_request_id)) return null
    // Lists of issues and pull requests may omit the user who closed them.
    importedPlanning.setCloser(db, { kind: given.on.kind, id: issuableId(target, given.on) }, row.user_id)
  }
  const source_commit = given.commit && isObjectId(given.commit) ? given.commit : null
  return importedPlanning.insertStateEvent(db, { ...row, state: given.event, source_commit })
}

function writeLabel(target: ImportTarget, given: NewLabelEvent): number {
  const { db } = target.ctx
  // The label may have been deleted since.
  const label = labelsTitled(db, projectOwner(projectOf(target)), [labelTitle(given.label)])[0]
  const action = given.event === 'labeled' ? 'add' : 'remove'
  return importedPlanning.insertLabelEvent(db, {
    ...common(target, given),
    label_id: label?.id ?? null,
    action,
  })
}

function writeMilestone(target: ImportTarget, given: NewMilestoneEvent): number | null {
  const { db } = target.ctx
  const milestone = milestoneTitled(db, projectOf(target), given.milestone)
  if (!milestone) return null
  const action = given.event === 'milestoned' ? 'add' : 'remove'
  const row = { ...common(target, given), milestone_id: milestone.id, action, state: 'opened' } as const
  return importedPlanning.insertMilestoneEvent(db, row)
}
