import { jsonList, q, tx } from '../../../../db/database.ts'
import { keepIid } from '../../../planning/index.ts'
import { CannotLand } from './cannot-land.ts'
import { once, thingAt, type ImportTarget } from './target.ts'
import type { NewIssue, NewMergeRequest, IssuableRef } from './inputs.ts'
import { labelIds } from './labels.ts'
import { milestoneId } from './milestones.ts'
import { accountOf, knownAmong, signedText } from './people.ts'
import { maybeTime, timeOf, titleOf } from './texts.ts'

/** See Landing.issue. */
export function landIssue(target: ImportTarget, given: NewIssue): number | null {
  const { ctx, projectId } = target
  return once(target, 'issue', given.source_key, () => {
    const taken = 'SELECT 1 FROM issues WHERE project_id = ? AND iid = ?'
    if (ctx.db.one(taken, projectId, given.iid)) throw new CannotLand('Iid has already been taken')
    keepIid(ctx.db, { project_id: projectId }, 'issues', given.iid)
    const values = { ...plannedColumns(target, given), project_id: projectId, state: given.state }
    const { id } = ctx.db.run(q.insertInto('issues').values(values))
    plan(target, { kind: 'Issue', id }, given)
    return id
  })
}

/** The columns that issues and merge requests share. Inside the caller's transaction. */
export function plannedColumns(target: ImportTarget, given: NewIssue | NewMergeRequest) {
  if (!Number.isSafeInteger(given.iid) || given.iid < 1) throw new CannotLand('It has no number.')
  const author = accountOf(target, given.author)
  const closer = given.closed_by === undefined ? undefined : accountOf(target, given.closed_by)
  const created_at = timeOf(given.created_at)
  return {
    iid: given.iid,
    author_id: author.id,
    title: titleOf(given.title, `Imported ${given.iid}`),
    description: signedText(target, author, given.author, given.description) || null,
    milestone_id: milestoneId(target, given.milestone_iid),
    discussion_locked: given.discussion_locked ? true : null,
    closed_at: given.state === 'closed' ? maybeTime(given.closed_at ?? given.updated_at) : null,
    closed_by_id: given.state === 'closed' && closer?.known ? closer.id : null,
    created_at,
    updated_at: maybeTime(given.updated_at) ?? created_at,
  }
}

const TABLES = {
  Issue: { labels: 'issue_labels', assignees: 'issue_assignees', key: 'issue_id' },
  MergeRequest: {
    labels: 'merge_request_labels',
    assignees: 'merge_request_assignees',
    key: 'merge_request_id',
  },
} as const

/** Its labels and assignees. Inside the caller's transaction. */
export function plan(
  target: ImportTarget,
  { kind, id }: { readonly kind: IssuableRef['kind']; readonly id: number },
  given: Pick<NewIssue, 'labels' | 'assignees'>,
): void {
  const { assignees, key } = TABLES[kind]
  giveLabels(target, kind, id, given.labels ?? [])
  target.ctx.db.exec(
    `INSERT INTO ${assignees} (${key}, user_id) SELECT ?, value FROM json_each(?) WHERE true ON CONFLICT DO NOTHING`,
    id,
    jsonList(knownAmong(target, given.assignees)),
  )
}

function giveLabels(
  target: ImportTarget,
  kind: IssuableRef['kind'],
  id: number,
  titles: readonly string[],
): void {
  if (titles.length === 0) return
  const { labels, key } = TABLES[kind]
  target.ctx.db.exec(
    `INSERT INTO ${labels} (${key}, label_id) SELECT ?, value FROM json_each(?) WHERE true ON CONFLICT DO NOTHING`,
    id,
    jsonList(labelIds(target, titles)),
  )
}

/** See Landing.labels. */
export function addLabels(target: ImportTarget, on: IssuableRef, titles: readonly string[]): void {
  const { id } = thingAt(target, on)
  tx(target.ctx.db, () => giveLabels(target, on.kind, id, titles))
}
