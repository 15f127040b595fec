import type { Ctx } from '../../../../ctx.ts'
import { jsonList, q } from '../../../../db/database.ts'
import { assignableIds } from '../input.ts'
import { assigneeIdsOf, labelIdsOf } from '../../issuables/store.ts'
import { withPaths } from '../../issuables/text-references.ts'
import { labelsByIds } from '../../labels/store.ts'
import { labelsNamed } from '../../labels/find.ts'
import { milestoneTitled, milestonesOf } from '../../milestones/store.ts'
import { fullPath, type Project } from '../../../projects/index.ts'
import { importedNotes } from '../../../discussions/index.ts'
import type { IssueRow } from '../issue.ts'
import * as store from '../store.ts'

/** The old and the new project of an issue. */
export interface IssueMove {
  readonly from: Project
  readonly to: Project
}

/** Copies labels, assignees and milestone. Publishes no events, because the copy is a new issue. */
export function copyMetadata(ctx: Ctx, issue: IssueRow, copy: IssueRow, to: Project): void {
  const labels = labelsByIds(ctx.db, labelIdsOf(ctx.db, 'Issue', issue.id))
  const titles = [...labels.values()].map((label) => label.title)
  const usableLabels = labelsNamed(ctx, to, titles, { create: false })
  ctx.db.exec(
    'INSERT INTO issue_labels (issue_id, label_id) SELECT ?, value FROM json_each(?)',
    copy.id,
    jsonList(usableLabels.map((label) => label.id)),
  )
  ctx.db.exec(
    'INSERT INTO issue_assignees (issue_id, user_id) SELECT ?, value FROM json_each(?)',
    copy.id,
    jsonList(assignableIds(ctx, to, assigneeIdsOf(ctx.db, 'Issue', issue.id))),
  )
  const milestone = milestonesOf(ctx.db, [issue]).get(issue.milestone_id ?? 0)
  const usableMilestone = milestone && milestoneTitled(ctx.db, to, milestone.title)
  if (usableMilestone) store.update(ctx.db, copy.id, { milestone_id: usableMilestone.id })
}

/** Returns a text for another project: references get the path of the old project, so that they keep their meaning. */
export function textFor(text: string, { from, to }: IssueMove): string {
  return from.id === to.id ? text : withPaths(text, fullPath(from))
}

/** Copies the notes with their threads and emoji, and the emoji of the issue. */
export function copyConversation(ctx: Ctx, issue: IssueRow, copy: IssueRow, move: IssueMove): void {
  const notes = ctx.db.all(
    q
      .selectFrom('notes')
      .where('noteable_type', '=', 'Issue')
      .where('noteable_id', '=', issue.id)
      .selectAll()
      .orderBy('id'),
  )
  const threads = new Map<string, string>()
  for (const { id, ...note } of notes) {
    const thread = threads.get(note.discussion_id) ?? ctx.random.hex(20)
    threads.set(note.discussion_id, thread)
    const copyId = importedNotes.insertNoteRow(ctx.db, {
      ...note,
      project_id: copy.project_id,
      noteable_id: copy.id,
      discussion_id: thread,
      note: textFor(note.note, move),
    })
    importedNotes.copyEmoji(ctx.db, 'Note', id, copyId)
  }
  importedNotes.copyEmoji(ctx.db, 'Issue', issue.id, copy.id)
}

/** Copies subscriptions and spent time to the copy, and moves the links to it. */
export function moveRelations(ctx: Ctx, issue: IssueRow, copy: IssueRow): void {
  ctx.db.exec(
    `INSERT INTO subscriptions (user_id, subscribable_type, subscribable_id, subscribed, created_at, updated_at)
     SELECT user_id, subscribable_type, ?, subscribed, created_at, updated_at FROM subscriptions
     WHERE subscribable_type = 'Issue' AND subscribable_id = ?`,
    copy.id,
    issue.id,
  )
  ctx.db.exec(
    `INSERT INTO timelogs (issue_id, user_id, time_spent, spent_at, summary, created_at)
     SELECT ?, user_id, time_spent, spent_at, summary, created_at FROM timelogs WHERE issue_id = ?`,
    copy.id,
    issue.id,
  )
  ctx.db.exec('UPDATE issue_links SET source_id = ? WHERE source_id = ?', copy.id, issue.id)
  ctx.db.exec('UPDATE issue_links SET target_id = ? WHERE target_id = ?', copy.id, issue.id)
  const { time_estimate, total_time_spent } = issue
  store.update(ctx.db, copy.id, { time_estimate, total_time_spent })
}
