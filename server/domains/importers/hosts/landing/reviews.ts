import { tx } from '../../../../db/database.ts'
import { importedRequests } from '../../../merge_requests/index.ts'
import { insertNote } from './notes.ts'
import { accountOf, signedText, type Account } from './people.ts'
import { issuableId, importOnce, textOf, timeOf, type ImportTarget } from './target.ts'
import type { NewMerge, NewReview, OptionalPerson } from './types.ts'

const VERDICTS = {
  approved: 'Approved',
  changes_requested: 'Changes requested',
  commented: 'Commented',
  dismissed: 'Dismissed',
} as const

/** See Landing.review. */
export function landReview(target: ImportTarget, input: NewReview): number | null {
  return importOnce(target, 'review', input.source_key, () => {
    const { db } = target.ctx
    const id = issuableId(target, { kind: 'MergeRequest', iid: input.iid })
    const account = accountOf(target, input.reviewer)
    if (account.isMatched && input.reviewer !== null) {
      importedRequests.insertReviewers(db, id, [account.id], timeOf(input.submitted_at))
      if (input.verdict === 'approved') approve(target, id, account.id, timeOf(input.submitted_at))
      else importedRequests.setReviewed(db, id, account.id)
    }
    return writeReview(target, id, account, input)
  })
}

/** Writes the text of a review as a note. The verdict of a reviewer without an account here becomes a note, too. */
function writeReview(target: ImportTarget, id: number, account: Account, input: NewReview): number | null {
  const text = textOf(input.body).trim()
  if (text === '' && (account.isMatched || input.verdict === 'commented')) return null
  const header = `**Review:** ${VERDICTS[input.verdict]}`
  return insertNote(target, {
    issuable: { kind: 'MergeRequest', id },
    author_id: account.id,
    note: signedText(target, account, input.reviewer, text === '' ? header : `${header}\n\n${text}`),
    created_at: timeOf(input.submitted_at),
  })
}

function approve(target: ImportTarget, id: number, userId: number, created_at: string): void {
  const { db } = target.ctx
  if (!importedRequests.insertApproval(db, id, userId, created_at)) return
  importedRequests.setReviewed(db, id, userId)
  insertNote(target, {
    issuable: { kind: 'MergeRequest', id },
    author_id: userId,
    note: 'approved this merge request',
    action: 'approved',
    system: true,
    created_at,
  })
}

/** See Landing.reviewer. */
export function landReviewer(target: ImportTarget, iid: number, person: OptionalPerson): void {
  if (person === null) return
  const { ctx } = target
  const id = issuableId(target, { kind: 'MergeRequest', iid })
  tx(ctx.db, () => {
    const account = accountOf(target, person)
    if (account.isMatched) importedRequests.insertReviewers(ctx.db, id, [account.id], ctx.now)
  })
}

/** See Landing.merging. */
export function landMerge(target: ImportTarget, input: NewMerge): number | null {
  return importOnce(target, 'merging', input.source_key, () => {
    const id = issuableId(target, { kind: 'MergeRequest', iid: input.iid })
    const merged_at = timeOf(input.merged_at)
    const account = accountOf(target, input.by)
    importedRequests.setMerged(target.ctx.db, id, { merged_at, userId: account.id })
    if (account.isMatched || input.by === null) return id
    const time = merged_at.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')
    insertNote(target, {
      issuable: { kind: 'MergeRequest', id },
      author_id: account.id,
      note: `*Merged by: ${input.by.login} at ${time}*`,
      created_at: merged_at,
    })
    return id
  })
}
