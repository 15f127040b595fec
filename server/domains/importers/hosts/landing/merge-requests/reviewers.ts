import type { ImportTarget } from '../target.ts'
import type { Account } from '../people.ts'

/** Those who are known here are asked to review; inside the caller's transaction. */
export function insertReviewers(
  { ctx }: ImportTarget,
  requestId: number,
  accounts: readonly Account[],
  created_at: string,
): void {
  for (const account of accounts) {
    if (!account.known) continue
    ctx.db.exec(
      `INSERT INTO merge_request_reviewers (merge_request_id, user_id, created_at) VALUES (?, ?, ?)
       ON CONFLICT DO NOTHING`,
      requestId,
      account.id,
      created_at,
    )
  }
}
