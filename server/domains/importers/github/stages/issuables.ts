import { HOST_A_FORK_BRANCHES } from '../../../../lib/aliases.ts'
import { flag, inner, records, text, integer, type Fields } from '../../hosts/answers.ts'
import type { IssuableRef } from '../../hosts/landing/index.ts'
import { checkAlive, storeCursor, reportProgress } from '../../hosts/work.ts'
import { peopleOf, personIn } from '../people.ts'
import { countImported, importedFrom } from '../store.ts'
import { repoPath, importRecord, walk, type Work, type Stage } from '../work.ts'

/** Stage 3: pull requests become merge requests of the same numbers. */
export const pullRequests: Stage = {
  name: 'pull_requests',
  run(work) {
    const query = { state: 'all', sort: 'created', direction: 'asc' }
    return walk(work, { path: `${repoPath(work)}/pulls`, query, stat: 'pull_request' }, (item) => {
      const iid = integer(item, 'number') ?? 0
      const record = {
        stat: 'pull_request',
        mark: 'merge_request',
        key: String(iid),
        name: `Pull request ${iid}`,
      }
      return importRecord(work, record, () => land(work, iid, item))
    })
  },
}

async function land(work: Work, iid: number, item: Fields): Promise<number | null> {
  const [head, base] = [inner(item, 'head'), inner(item, 'base')]
  const merged_at = text(item, 'merged_at')
  const isOpen = text(item, 'state') === 'open'
  return work.landing.mergeRequest({
    source_key: String(iid),
    iid,
    title: text(item, 'title') ?? '',
    description: text(item, 'body'),
    author: await personIn(work, item, 'user'),
    assignees: await peopleOf(work, assigneesOf(item)),
    milestone_iid: integer(inner(item, 'milestone'), 'number'),
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

/** All assignees; older hosts send one only. */
export function assigneesOf(item: Fields): Fields[] {
  const assignee = inner(item, 'assignee')
  const all = records(item['assignees'])
  return all.length > 0 || assignee === null ? all : [assignee]
}

/** Titles of the labels of an issue or pull request, which may be strings. */
export function labelsOf(item: Fields): string[] {
  const list = Array.isArray(item['labels']) ? (item['labels'] as unknown[]) : []
  const bare = list.filter((entry) => typeof entry === 'string')
  return [...bare, ...records(list).flatMap((record) => text(record, 'name') ?? [])]
}

/** A branch of a fork, which may be deleted, gets a name that no branch of the project has. */
function branchOf(head: Fields | null, base: Fields | null): string {
  const name = text(head, 'ref') ?? ''
  const [from, to] = [inner(head, 'repo'), inner(base, 'repo')]
  const isOwn = from !== null && integer(from, 'id') === integer(to, 'id')
  if (isOwn) return name
  const login = text(inner(head, 'user'), 'login') ?? text(inner(from, 'owner'), 'login') ?? 'unknown'
  return `${HOST_A_FORK_BRANCHES}${login}/${name}`
}
const isIssue = (item: Fields): boolean => inner(item, 'pull_request') === null

/** Stage 7: issues; the same list has the labels of pull requests. */
export const issues: Stage = {
  name: 'issues',
  run(work) {
    const query = { state: 'all', sort: 'created', direction: 'asc' }
    return walk(work, { path: `${repoPath(work)}/issues`, query, stat: 'issue', counts: isIssue }, (item) =>
      isIssue(item) ? importIssue(work, item) : addLabels(work, item),
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
      milestone_iid: integer(inner(item, 'milestone'), 'number'),
      labels: labelsOf(item),
      discussion_locked: flag(item, 'locked'),
      state: text(item, 'state') === 'closed' ? 'closed' : 'opened',
      created_at: text(item, 'created_at') ?? work.ctx.now,
      updated_at: text(item, 'updated_at'),
      closed_at: text(item, 'closed_at'),
      ...(inner(item, 'closed_by') ? { closed_by: await personIn(work, item, 'closed_by') } : {}),
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
 * Calls back for every imported issue or merge request of some kinds, by number, and continues where the import was
 * interrupted. `merged` narrows to merged ones.
 */
export async function eachIssuable(
  work: Work,
  kinds: readonly IssuableRef['kind'][],
  each: (issuable: IssuableRef) => Promise<void>,
  { merged }: { readonly merged?: boolean } = {},
): Promise<void> {
  const { ctx, projectId } = work
  const count = (kind: IssuableRef['kind']) => countImported(ctx.db, { projectId, kind, merged })
  const total = kinds.reduce((sum, kind) => sum + count(kind), 0)
  let done = 0
  const from = kinds.indexOf(work.cursor.issuable?.kind ?? kinds[0]!)
  for (const [index, kind] of kinds.entries()) {
    if (index < from) done += count(kind)
    if (index < from) continue
    for (let at = firstOf(work, kind); ; at++) {
      const iid = importedFrom(ctx.db, { projectId, kind, merged }, at)
      if (iid === undefined) break
      at = iid
      checkAlive(work)
      if (work.cursor.issuable?.iid !== iid || work.cursor.issuable.kind !== kind)
        storeCursor(work, { issuable: { kind, iid }, page: null, counted: false })
      await each({ kind, iid })
      work.total = total
      storeCursor(work, { done: ++done, page: null, counted: false })
      reportProgress(work)
    }
  }
}

/** The number to begin with: that of the issue or merge request where the import was interrupted. */
function firstOf({ cursor }: Work, kind: IssuableRef['kind']): number {
  return cursor.issuable?.kind === kind ? cursor.issuable.iid : 0
}
