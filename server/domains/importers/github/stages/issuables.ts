import { HOST_A_FORK_BRANCHES } from '../../../../lib/aliases.ts'
import { flag, recordIn, records, text, integer, type Fields } from '../../hosts/answers.ts'
import type { IssuableRef } from '../../hosts/landing/index.ts'
import { checkNotCanceled, storeCursor, reportProgress } from '../../hosts/work.ts'
import { peopleOf, personIn } from '../people.ts'
import { countImported, nextImported } from '../store.ts'
import { repoPath, importRecord, forEachRecord, type Work, type Stage } from '../work.ts'

/** Stage 3: pull requests, which become merge requests with the same numbers. */
export const pullRequests: Stage = {
  name: 'pull_requests',
  run(work) {
    const query = { state: 'all', sort: 'created', direction: 'asc' }
    return forEachRecord(work, { path: `${repoPath(work)}/pulls`, query, stat: 'pull_request' }, (item) => {
      const iid = integer(item, 'number') ?? 0
      const record = {
        stat: 'pull_request',
        mark: 'merge_request',
        key: String(iid),
        name: `Pull request ${iid}`,
      }
      return importRecord(work, record, () => landPullRequest(work, iid, item))
    })
  },
}

async function landPullRequest(work: Work, iid: number, item: Fields): Promise<number | null> {
  const [head, base] = [recordIn(item, 'head'), recordIn(item, 'base')]
  const merged_at = text(item, 'merged_at')
  const isOpen = text(item, 'state') === 'open'
  return work.landing.mergeRequest({
    source_key: String(iid),
    iid,
    title: text(item, 'title') ?? '',
    description: text(item, 'body'),
    author: await personIn(work, item, 'user'),
    assignees: await peopleOf(work, assigneesOf(item)),
    milestone_iid: integer(recordIn(item, 'milestone'), 'number'),
    labels: labelsOf(item),
    discussion_locked: flag(item, 'locked'),
    created_at: text(item, 'created_at') ?? work.ctx.now,
    updated_at: text(item, 'updated_at'),
    closed_at: text(item, 'closed_at'),
    state: merged_at !== null ? 'merged' : isOpen ? 'opened' : 'closed',
    draft: flag(item, 'draft'),
    source_branch: branchOf(head, base),
    target_branch: text(base, 'ref') ?? '',
    head_sha: text(head, 'sha'),
    base_sha: text(base, 'sha'),
    restore_source_branch: true,
    merged_at,
    merge_commit_sha: merged_at === null ? null : text(item, 'merge_commit_sha'),
  })
}

/** All assignees. Older hosts send only one. */
function assigneesOf(item: Fields): Fields[] {
  const assignee = recordIn(item, 'assignee')
  const assignees = records(item['assignees'])
  return assignees.length > 0 || assignee === null ? assignees : [assignee]
}

/** Titles of the labels of an issue or pull request. A label may be a string instead of a record. */
function labelsOf(item: Fields): string[] {
  const list = Array.isArray(item['labels']) ? (item['labels'] as unknown[]) : []
  const titles = list.filter((entry) => typeof entry === 'string')
  return [...titles, ...records(list).flatMap((record) => text(record, 'name') ?? [])]
}

/** The name of the source branch. A branch of a fork gets a name that no branch of the project has. */
function branchOf(head: Fields | null, base: Fields | null): string {
  const name = text(head, 'ref') ?? ''
  const [from, to] = [recordIn(head, 'repo'), recordIn(base, 'repo')]
  const isSameRepository = from !== null && integer(from, 'id') === integer(to, 'id')
  if (isSameRepository) return name
  const login = text(recordIn(head, 'user'), 'login') ?? text(recordIn(from, 'owner'), 'login') ?? 'unknown'
  return `${HOST_A_FORK_BRANCHES}${login}/${name}`
}

const isIssue = (item: Fields): boolean => recordIn(item, 'pull_request') === null

/** Stage 7: issues. Their list also contains the labels of pull requests. */
export const issues: Stage = {
  name: 'issues',
  run(work) {
    const query = { state: 'all', sort: 'created', direction: 'asc' }
    return forEachRecord(
      work,
      { path: `${repoPath(work)}/issues`, query, stat: 'issue', counts: isIssue },
      (item) => (isIssue(item) ? importIssue(work, item) : addLabels(work, item)),
    )
  },
}

async function importIssue(work: Work, item: Fields): Promise<void> {
  const iid = integer(item, 'number') ?? 0
  const key = String(iid)
  await importRecord(work, { stat: 'issue', mark: 'issue', key, name: `Issue ${iid}` }, async () =>
    work.landing.issue({
      source_key: key,
      iid,
      title: text(item, 'title') ?? '',
      description: text(item, 'body'),
      author: await personIn(work, item, 'user'),
      assignees: await peopleOf(work, assigneesOf(item)),
      milestone_iid: integer(recordIn(item, 'milestone'), 'number'),
      labels: labelsOf(item),
      discussion_locked: flag(item, 'locked'),
      state: text(item, 'state') === 'closed' ? 'closed' : 'opened',
      created_at: text(item, 'created_at') ?? work.ctx.now,
      updated_at: text(item, 'updated_at'),
      closed_at: text(item, 'closed_at'),
      ...(recordIn(item, 'closed_by') ? { closed_by: await personIn(work, item, 'closed_by') } : {}),
    }),
  )
}

async function addLabels(work: Work, item: Fields): Promise<void> {
  const titles = labelsOf(item)
  const iid = integer(item, 'number') ?? 0
  const key = `labels:${iid}`
  if (titles.length === 0) return
  await importRecord(
    work,
    { stat: 'pull_request_label', mark: 'pull_request_labels', key, name: `Labels of pull request ${iid}` },
    () => {
      work.landing.labels({ kind: 'MergeRequest', iid }, titles)
      return null
    },
  )
}

/**
 * Calls `each` for every imported issue or merge request of these kinds, ordered by number. Continues where an earlier
 * run was interrupted. `merged` selects only merged ones.
 */
export async function forEachIssuable(
  work: Work,
  kinds: readonly IssuableRef['kind'][],
  each: (issuable: IssuableRef) => Promise<void>,
  { merged }: { readonly merged?: boolean } = {},
): Promise<void> {
  const { ctx, projectId } = work
  const count = (kind: IssuableRef['kind']) => countImported(ctx.db, { projectId, kind, merged })
  const total = kinds.reduce((sum, kind) => sum + count(kind), 0)
  let done = 0
  const start = kinds.indexOf(work.cursor.issuable?.kind ?? kinds[0]!)
  for (const [index, kind] of kinds.entries()) {
    if (index < start) {
      done += count(kind)
      continue
    }
    for (let next = firstOf(work, kind); ;) {
      const iid = nextImported(ctx.db, { projectId, kind, merged }, next)
      if (iid === undefined) break
      next = iid + 1
      checkNotCanceled(work)
      if (work.cursor.issuable?.iid !== iid || work.cursor.issuable.kind !== kind)
        storeCursor(work, { issuable: { kind, iid }, page: null, counted: false })
      await each({ kind, iid })
      work.total = total
      storeCursor(work, { done: ++done, page: null, counted: false })
      reportProgress(work)
    }
  }
}

/** The number to start with, which is that of the issue or merge request where the import was interrupted. */
function firstOf({ cursor }: Work, kind: IssuableRef['kind']): number {
  return cursor.issuable?.kind === kind ? cursor.issuable.iid : 0
}
