import { inRepository, projectById } from '../../../projects/index.ts'
import { recordIn, records, text, integer, type Fields } from '../../hosts/answers.ts'
import { checkNotCanceled, storeCursor } from '../../hosts/work.ts'
import {
  personOf,
  importRecord,
  timeIn,
  repositoryPath,
  finishRecord,
  type Work,
  type Stage,
} from '../work.ts'
import { deleteImportRefs, recoverCommits } from './repository.ts'

const STATES: Readonly<Record<string, 'opened' | 'closed' | 'merged'>> = {
  OPEN: 'opened',
  DECLINED: 'closed',
  MERGED: 'merged',
}

/** Imports pull requests as merge requests with the same numbers. */
export const pullRequests: Stage = {
  name: 'pull_requests',
  async run(work) {
    const path = `${repositoryPath(work.source)}/pull-requests`
    let start: number | null = work.cursor.start ?? 0
    while (start !== null) {
      checkNotCanceled(work)
      const page = await work.client.fetchPage(path, start, { state: 'ALL', order: 'OLDEST' })
      if (work.source.recovers) await recoverCommits(work, page.items)
      for (const item of page.items) {
        work.signal.throwIfAborted()
        await importRecord(work, `Pull request ${integer(item, 'id') ?? '?'}`, 'pull_request', () =>
          landPullRequest(work, item),
        )
        await finishRecord(work)
      }
      start = page.next
      if (start !== null) storeCursor(work, { start, trouble: 0 })
    }
    const project = projectById(work.ctx.db, work.projectId)
    if (project) await inRepository(work.ctx, project, deleteImportRefs)
  },
}

function landPullRequest(work: Work, item: Fields): Promise<number | null> {
  const iid = integer(item, 'id') ?? 0
  const [from, to] = [recordIn(item, 'fromRef'), recordIn(item, 'toRef')]
  const state = STATES[text(item, 'state') ?? ''] ?? 'closed'
  const closed_at = timeIn(item, 'closedDate') ?? timeIn(item, 'updatedDate')
  return work.landing.mergeRequest({
    source_key: String(iid),
    iid,
    title: text(item, 'title') ?? '',
    description: text(item, 'description'),
    author: personOf(recordIn(recordIn(item, 'author'), 'user')),
    reviewers: records(item['reviewers']).map((record) => personOf(recordIn(record, 'user'))),
    created_at: timeIn(item, 'createdDate') ?? work.ctx.now,
    updated_at: timeIn(item, 'updatedDate'),
    closed_at: state === 'closed' ? closed_at : null,
    state,
    draft: item['draft'] === true,
    source_branch: branchOf(from),
    target_branch: branchOf(to),
    head_sha: text(from, 'latestCommit'),
    base_sha: text(to, 'latestCommit'),
    restore_source_branch: true,
    merged_at: state === 'merged' ? closed_at : null,
    merge_commit_sha: text(recordIn(recordIn(item, 'properties'), 'mergeCommit'), 'id'),
  })
}

/** The name of a branch. Older hosts send only the ref. */
function branchOf(ref: Fields | null): string {
  return text(ref, 'displayId') ?? (text(ref, 'id') ?? '').replace(/^refs\/heads\//, '')
}
