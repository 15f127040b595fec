import { isObjectId } from '../../../../git/names.ts'
import { inner, text, whole, type Fields } from '../../github/client/fields.ts'
import { HostProblem } from '../../github/client/problems.ts'
import { personOf } from '../people.ts'
import {
  attempt,
  checkAlive,
  keepCursor,
  moment,
  noteFailure,
  repositoryPath,
  step,
  type Work,
} from '../work.ts'
import { landComments } from './comments.ts'
import type { Stage } from './stage.ts'

/** What one pull request may have; the newest of it. */
const MOST = 10_000
const WANTED = ['COMMENTED', 'MERGED']

/** What was said about each pull request, and who merged it. */
export const activities: Stage = {
  name: 'activities',
  async run(work) {
    work.total = count(work)
    for (let iid = next(work); iid !== undefined; iid = next(work)) {
      checkAlive(work)
      const number = iid
      for (const one of await activitiesOf(work, number)) {
        work.signal.throwIfAborted()
        const name = `Activity ${whole(one, 'id') ?? '?'} of pull request ${number}`
        await attempt(work, name, 'pull_request', () => land(work, number, one))
      }
      keepCursor(work, { iid: number, trouble: 0 })
      await step(work)
    }
  },
}

function count({ ctx, projectId }: Work): number {
  const sql = 'SELECT count(*) AS total FROM merge_requests WHERE project_id = ?'
  return ctx.db.one<{ total: number }>(sql, projectId)!.total
}

function next({ ctx, projectId, cursor }: Work): number | undefined {
  const sql = 'SELECT iid FROM merge_requests WHERE project_id = ? AND iid > ? ORDER BY iid LIMIT 1'
  return ctx.db.one<{ iid: number }>(sql, projectId, cursor.iid ?? 0)?.iid
}

/** Oldest first, while the host tells the newest first. */
async function activitiesOf(work: Work, iid: number): Promise<Fields[]> {
  const path = `${repositoryPath(work.source)}/pull-requests/${iid}/activities`
  const found: Fields[] = []
  try {
    let start: number | null = 0
    while (start !== null && found.length < MOST) {
      const page = await work.client.page(path, start)
      found.push(...page.items.filter((one) => WANTED.includes(text(one, 'action') ?? '')))
      start = page.next
    }
  } catch (error) {
    if (!(error instanceof HostProblem) || error.isPassing || error.status === 401) throw error
    noteFailure(work, `Activities of pull request ${iid}`, 'pull_request', error)
  }
  return found.toReversed()
}

async function land(work: Work, iid: number, one: Fields): Promise<void> {
  if (text(one, 'action') === 'MERGED') return landMerging(work, iid, one)
  const comment = inner(one, 'comment')
  // Answers and changes of a comment are told again; what is here already is passed over.
  if (comment) await landComments(work, iid, comment, inner(one, 'commentAnchor'))
}

function landMerging(work: Work, iid: number, one: Fields): void {
  const commit = inner(one, 'commit')
  const committer = inner(commit, 'committer')
  const merged_at = moment(commit, 'committerTimestamp') ?? moment(one, 'createdDate')
  if (merged_at === null) return
  work.landing.merging({
    source_key: String(iid),
    iid,
    by: personOf(committer ?? inner(one, 'user')),
    merged_at,
  })
  const sha = text(commit, 'id')
  if (sha === null || !isObjectId(sha)) return
  const sql = 'UPDATE merge_requests SET merge_commit_sha = ? WHERE project_id = ? AND iid = ?'
  work.ctx.db.exec(sql, sha, work.projectId, iid)
}
