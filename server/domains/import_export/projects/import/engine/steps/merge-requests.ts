import { setImmediate as nextTurn } from 'node:timers/promises'

import { tx } from '../../../../../../db/database.ts'
import { isBranchName } from '../../../../../../git/names.ts'
import {
  keepAroundRef,
  listRefs,
  packRefs,
  updateRefs,
  type RefUpdate,
} from '../../../../../../git/write/refs.ts'
import { withWriteLock } from '../../../../../../git/upkeep/repository.ts'
import { branchTip, resolveCommit } from '../../../../../../git/read/revisions.ts'
import type { Repo } from '../../../../../../git/types.ts'
import { closingReferences } from '../../../../../planning/index.ts'
import { refreshClosingIssues, setSource } from '../../../../../merge_requests/index.ts'
import { projectById, repoOf } from '../../../../../projects/index.ts'
import * as store from '../../store.ts'
import type { Filling } from './emptied.ts'

/** Merge requests of one round. */
const PAGE = 100

/**
 * Gives git the refs of the imported merge requests: their heads can be fetched, the commits of their versions are kept, and open
 * ones from forks get a branch (spec administration 6.5).
 */
export async function settleMergeRequests(filling: Filling): Promise<void> {
  const { ctx, project, signal } = filling
  const repo = repoOf(ctx, project)
  const known = new Map((await listRefs(repo, 'refs/')).map(({ ref, oid }) => [ref, oid]))
  const total = store.countRequests(ctx.db, project.id)
  let done = 0
  let written = 0
  for (let after = 0; ;) {
    signal.throwIfAborted()
    const rows = store.requestsAfter(ctx.db, project.id, { after, limit: PAGE })
    if (rows.length === 0) break
    const there = await commitsThere(repo, rows)
    const updates = refsOf(rows, there).filter(({ ref, new: oid }) => known.get(ref) !== oid)
    const branches = rows.filter((row) => row.source_project_id === null && there.has(row.head))
    await withWriteLock(repo, async () => {
      await updateRefs(repo, updates, { unsynced: true })
      for (const row of branches) await makeBranch(filling, repo, row)
    })
    await refreshClosing(filling, rows, there)
    after = rows.at(-1)!.id
    written += updates.length
    filling.report('merge_request_refs', (done += rows.length), total)
    await nextTurn()
  }
  if (written > 0) await withWriteLock(repo, () => packRefs(repo))
}

async function commitsThere(
  repo: Repo,
  rows: readonly store.ImportedRequest[],
): Promise<ReadonlySet<string>> {
  const ids = [...new Set(rows.flatMap(({ head, start }) => (start === null ? [head] : [head, start])))]
  const found = await Promise.all(ids.map((id) => resolveCommit(repo, id)))
  return new Set(found.filter((id) => id !== null))
}

function refsOf(
  rows: readonly store.ImportedRequest[],
  there: ReadonlySet<string>,
): (RefUpdate & { new: string })[] {
  const heads = rows
    .filter(({ head }) => there.has(head))
    .map(({ iid, head }) => ({ ref: `refs/merge-requests/${iid}/head`, new: head }))
  const kept = new Set(rows.flatMap(({ head, start }) => [head, start ?? head]).filter((id) => there.has(id)))
  return [...heads, ...[...kept].map((id) => ({ ref: keepAroundRef(id), new: id }))]
}

/**
 * Creates the branch of an open merge request from a fork, with the original name if it is free or already points to the same
 * commit.
 */
async function makeBranch({ ctx, project }: Filling, repo: Repo, row: store.ImportedRequest): Promise<void> {
  const names = [row.source_branch, `${row.source_branch}-${row.iid}`]
  for (const branch of names) {
    if (!isBranchName(branch) || branch === row.target_branch) continue
    const source = { source: branch, target: row.target_branch, except: row.id }
    if (store.hasOpenRequest(ctx.db, project.id, source)) continue
    const tip = await branchTip(repo, branch)
    if (tip !== null && tip !== row.head) continue
    try {
      if (tip === null) await updateRefs(repo, [{ ref: `refs/heads/${branch}`, old: null, new: row.head }])
    } catch (error) {
      // Another branch may conflict with the name.
      ctx.log.info({ err: error, iid: row.iid }, 'a branch of a fork could not be made')
      continue
    }
    tx(ctx.db, () => setSource(ctx.db, row.id, project.id, branch))
    return
  }
}

/** Finds the issues that open merge requests close: archives do not have them. */
async function refreshClosing(
  { ctx, project, signal }: Filling,
  rows: readonly store.ImportedRequest[],
  there: ReadonlySet<string>,
): Promise<void> {
  const current = projectById(ctx.db, project.id)
  if (!current) return
  for (const { id, state, head } of rows) {
    const texts = state === 'opened' && store.textsOfRequest(ctx.db, id)
    if (!texts) continue
    const { title, description } = texts
    // Yields to other requests, because a description can be a megabyte.
    await nextTurn()
    const hasReferences = closingReferences([title, description ?? ''].join('\n'), ctx.config.url).length > 0
    if (!hasReferences && !there.has(head)) continue
    signal.throwIfAborted()
    await refreshClosingIssues(ctx, current, id)
  }
}
