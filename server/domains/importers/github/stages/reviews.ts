import { markedId, addStats } from '../../../import_export/index.ts'
import { records, text, integer, type Fields } from '../../hosts/answers.ts'
import { personIn, personOf } from '../people.ts'
import { repoPath, importRecord, forEachRecord, type Work, type Stage } from '../work.ts'
import { forEachIssuable } from './issuables.ts'

/** Stage 4: who merged each merge request. Lists of pull requests do not contain it. */
export const mergers: Stage = {
  name: 'pull_requests_merged_by',
  run: (work) =>
    forEachIssuable(work, ['MergeRequest'], ({ iid }) => importMerge(work, iid), { merged: true }),
}

async function importMerge(work: Work, iid: number): Promise<void> {
  const { ctx, projectId } = work
  const stat = 'pull_request_merged_by'
  if (markedId(ctx.db, projectId, 'merging', String(iid)) !== undefined) return
  await importRecord(
    work,
    { stat, mark: 'merging', key: String(iid), name: `Merging of pull request ${iid}` },
    async () => {
      const item = await work.client.fetchRecord(`${repoPath(work)}/pulls/${iid}`)
      addStats(ctx, projectId, 'fetched', stat)
      const merged_at = text(item, 'merged_at')
      if (merged_at === null) return null
      return work.landing.merge({
        source_key: String(iid),
        iid,
        by: await personIn(work, item, 'merged_by'),
        merged_at,
      })
    },
  )
}

/** Stage 5: requested reviewers. */
export const reviewRequests: Stage = {
  name: 'pull_requests_review_requests',
  run: (work) => forEachIssuable(work, ['MergeRequest'], ({ iid }) => importReviewRequests(work, iid)),
}

async function importReviewRequests(work: Work, iid: number): Promise<void> {
  const stat = 'pull_request_review_request'
  const record = {
    stat,
    mark: 'review_requests',
    key: String(iid),
    name: `Review requests of pull request ${iid}`,
  }
  await importRecord(work, record, async () => {
    const answer = await work.client.fetchRecord(`${repoPath(work)}/pulls/${iid}/requested_reviewers`)
    const users = records(answer['users'])
    if (users.length === 0) return null
    addStats(work.ctx, work.projectId, 'fetched', stat)
    for (const user of users) work.landing.reviewer(iid, await personOf(work, user))
    return iid
  })
}

/** Stage 6: reviews with their verdicts. Stage 7 imports their comments on lines. */
export const reviews: Stage = {
  name: 'pull_requests_reviews',
  run: (work) =>
    forEachIssuable(work, ['MergeRequest'], ({ iid }) => {
      const list = {
        path: `${repoPath(work)}/pulls/${iid}/reviews`,
        stat: 'pull_request_review',
        counts: isSubmitted,
      }
      return forEachRecord(work, list, (item) =>
        isSubmitted(item) ? importReview(work, iid, item) : undefined,
      )
    }),
}

/** Whether a review was submitted. Only its author sees a pending review. */
const isSubmitted = (item: Fields): boolean => text(item, 'submitted_at') !== null

const VERDICTS = {
  APPROVED: 'approved',
  CHANGES_REQUESTED: 'changes_requested',
  DISMISSED: 'dismissed',
  COMMENTED: 'commented',
} as const

async function importReview(work: Work, iid: number, item: Fields): Promise<void> {
  const key = String(integer(item, 'id'))
  const record = {
    stat: 'pull_request_review',
    mark: 'review',
    key,
    name: `Review ${key} of pull request ${iid}`,
  }
  await importRecord(work, record, async () => {
    const state = (text(item, 'state') ?? '').toUpperCase()
    return work.landing.review({
      source_key: key,
      iid,
      reviewer: await personIn(work, item, 'user'),
      verdict: VERDICTS[state as keyof typeof VERDICTS] ?? 'commented',
      body: text(item, 'body') ?? '',
      submitted_at: text(item, 'submitted_at')!,
    })
  })
}
