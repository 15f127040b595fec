import { tx } from '../../../../db/database.ts'
import { once, thingAt, type ImportTarget } from './target.ts'
import type { Merging, NewReview, Somebody } from './inputs.ts'
import { insertReviewers } from './merge-requests/reviewers.ts'
import { insertNote } from './note-row.ts'
import { accountOf, signedText, type Account } from './people.ts'
import { textOf, timeOf } from './texts.ts'

const VERDICTS = {
  approved: 'Approved',
  changes_requested: 'Changes requested',
  commented: 'Commented',
  dismissed: 'Dismissed',
} as const

/** See Landing.review. */
export function landReview(target: ImportTarget, given: NewReview): number | null {
  return once(target, 'review', given.source_key, () => {
    const { id } = thingAt(target, { kind: 'MergeRequest', iid: given.iid })
    const account = accountOf(target, given.reviewer)
    if (account.known && given.reviewer !== null) {
      insertReviewers(target, id, [account], timeOf(given.submitted_at))
      if (given.verdict === 'approved') approve(target, id, account, given.submitted_at)
      else review(target, id, account)
    }
    return writeReview(target, id, account, given)
  })
}

/** The text of a review; an approval of somebody unknown is worth a line of its own. */
function writeReview(target: ImportTarget, id: number, account: Account, given: NewReview): number | null {
  const text = textOf(given.body).trim()
  if (text === '' && (account.known || given.verdict === 'commented')) return null
  const header = `**Review:** ${VERDICTS[given.verdict]}`
  return insertNote(target, {
    on: { kind: 'MergeRequest', id },
    author_id: account.id,
    note: signedText(target, account, given.reviewer, text === '' ? header : `${header}\n\n${text}`),
    created_at: timeOf(given.submitted_at),
  })
}

function approve({ ctx, ...rest }: ImportTarget, id: number, { id: user_id }: Account, time: string): void {
  const created_at = timeOf(time)
  const made = ctx.db.exec(
    `INSERT INTO approvals (merge_request_id, user_id, created_at, diff_id, target_branch)
     SELECT id, ?, ?, latest_diff_id, target_branch FROM merge_requests WHERE id = ? ON CONFLICT DO NOTHING`,
    user_id,
    created_at,
    id,
  )
  if (made.changes === 0) return
  review({ ctx, ...rest }, id, { id: user_id, known: true })
  insertNote(
    { ctx, ...rest },
    {
      on: { kind: 'MergeRequest', id },
      author_id: user_id,
      note: 'approved this merge request',
      action: 'approved',
      system: true,
      created_at,
    },
  )
}

function review({ ctx }: ImportTarget, id: number, account: Account): void {
  const sql =
    "UPDATE merge_request_reviewers SET state = 'reviewed' WHERE merge_request_id = ? AND user_id = ?"
  ctx.db.exec(sql, id, account.id)
}

/** See Landing.reviewer. */
export function landReviewer(target: ImportTarget, iid: number, person: Somebody): void {
  if (person === null) return
  const { id } = thingAt(target, { kind: 'MergeRequest', iid })
  tx(target.ctx.db, () => insertReviewers(target, id, [accountOf(target, person)], target.ctx.now))
}

/** See Landing.merging. */
export function landMerging(target: ImportTarget, given: Merging): number | null {
  return once(target, 'merging', given.source_key, () => {
    const { id } = thingAt(target, { kind: 'MergeRequest', iid: given.iid })
    const merged_at = timeOf(given.merged_at)
    const account = accountOf(target, given.by)
    target.ctx.db.exec(
      'UPDATE merge_requests SET merged_at = ?, merge_user_id = ? WHERE id = ?',
      merged_at,
      account.id,
      id,
    )
    if (account.known || given.by === null) return id
    const at = merged_at.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')
    insertNote(target, {
      on: { kind: 'MergeRequest', id },
      author_id: account.id,
      note: `*Merged by: ${given.by.login} at ${at}*`,
      created_at: merged_at,
    })
    return id
  })
}
