import { isObjectId } from '../../../../git/names.ts'
import { labelsWithTitles, milestoneTitled, projectOwner, importedPlanning } from '../../../planning/index.ts'
import { importedRequests } from '../../../merge_requests/index.ts'
import { insertNote } from './notes.ts'
import { accountOf } from './people.ts'
import { labelTitle } from './planning.ts'
import { issuableId, importOnce, projectOf, textOf, timeOf, type ImportTarget } from './target.ts'
import type { NewEvent, NewLabelEvent, NewMilestoneEvent, NewStateEvent } from './types.ts'

/** See Landing.event. */
export function landEvent(target: ImportTarget, input: NewEvent): number | null {
  return importOnce(target, 'event', input.source_key, () => insertEvent(target, input))
}

function insertEvent(target: ImportTarget, input: NewEvent): number | null {
  switch (input.event) {
    case 'closed':
    case 'reopened':
    case 'merged':
      return writeState(target, input)
    case 'labeled':
    case 'unlabeled':
      return writeLabel(target, input)
    case 'milestoned':
    case 'demilestoned':
      return writeMilestone(target, input)
    default:
      return insertNote(target, {
        issuable: { kind: input.issuable.kind, id: issuableId(target, input.issuable) },
        author_id: accountOf(target, input.actor).id,
        note: textOf(input.body),
        action: input.action,
        system: true,
        created_at: timeOf(input.created_at),
      })
  }
}

/** The columns that all resource events share. */
function commonColumns(target: ImportTarget, input: NewEvent) {
  const id = issuableId(target, input.issuable)
  const isIssue = input.issuable.kind === 'Issue'
  return {
    issue_id: isIssue ? id : null,
    merge_request_id: isIssue ? null : id,
    user_id: accountOf(target, input.actor).id,
    created_at: timeOf(input.created_at),
  }
}

function writeState(target: ImportTarget, input: NewStateEvent): number | null {
  const { db } = target.ctx
  const row = commonColumns(target, input)
  if (input.event === 'closed') {
    // A host may send both "closed" and "merged" for a merge. One event is enough.
    if (row.merge_request_id !== null && importedRequests.isMerged(db, row.merge_request_id)) return null
    // Lists of issues and pull requests may omit the user who closed them.
    importedPlanning.setCloser(
      db,
      { kind: input.issuable.kind, id: issuableId(target, input.issuable) },
      row.user_id,
    )
  }
  const source_commit = input.commit && isObjectId(input.commit) ? input.commit : null
  return importedPlanning.insertStateEvent(db, { ...row, state: input.event, source_commit })
}

function writeLabel(target: ImportTarget, input: NewLabelEvent): number {
  const { db } = target.ctx
  // The label may have been deleted since the event.
  const label = labelsWithTitles(db, projectOwner(projectOf(target)), [labelTitle(input.label)])[0]
  const action = input.event === 'labeled' ? 'add' : 'remove'
  return importedPlanning.insertLabelEvent(db, {
    ...commonColumns(target, input),
    label_id: label?.id ?? null,
    action,
  })
}

function writeMilestone(target: ImportTarget, input: NewMilestoneEvent): number | null {
  const { db } = target.ctx
  const milestone = milestoneTitled(db, projectOf(target), input.milestone)
  if (!milestone) return null
  const action = input.event === 'milestoned' ? 'add' : 'remove'
  const row = {
    ...commonColumns(target, input),
    milestone_id: milestone.id,
    action,
    state: 'opened',
  } as const
  return importedPlanning.insertMilestoneEvent(db, row)
}
