import type { Database } from '../../db/database.ts'
import * as store from './store.ts'
import type { StatusWord } from './store.ts'

/** One word for several reports: what is under way comes first, then what went wrong. Null without any. */
export function summaryOf(
  reports: readonly { readonly status: StatusWord; readonly allow_failure: number }[],
): StatusWord | null {
  if (reports.length === 0) return null
  const words = new Set(
    reports.map((one) => (one.status === 'failed' && one.allow_failure === 1 ? 'success' : one.status)),
  )
  if (words.size === 1) return [...words][0]!
  // Some are done, or begun, so the whole is.
  if (words.has('running') || words.has('pending')) return 'running'
  return words.has('failed') ? 'failed' : 'canceled'
}

/** The state of commits by what was last reported about them; commits that nobody reported about are left out. */
export function latestStatus(
  db: Database,
  projectId: number,
  shas: readonly string[],
): ReadonlyMap<string, StatusWord> {
  const bySha = Map.groupBy(store.currentWords(db, projectId, shas), (one) => one.sha)
  const found = new Map<string, StatusWord>()
  for (const [sha, reports] of bySha) found.set(sha, summaryOf(reports)!)
  return found
}
