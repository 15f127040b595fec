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
import { refreshClosingIssues } from '../../../../../merge_requests/index.ts'
import { projectById, repoOf } from '../../../../../projects/index.ts'
import type { Filling } from './filling.ts'

/** Merge requests that are looked at together. */
const PAGE = 100

interface Row {
  readonly id: number
  readonly iid: number
  readonly source_project_id: number | null
  readonly source_branch: string
  readonly target_branch: string
  readonly state: string
  readonly head: string
  readonly start: string | null
}

const SELECT = `
  SELECT r.id, r.iid, r.source_project_id, r.source_branch, r.target_branch, r.state, coalesce(d.head_commit_sha, r.head_sha) AS head, d.start_commit_sha AS start
  FROM merge_requests r LEFT JOIN merge_request_diffs d ON d.id = r.latest_diff_id
  WHERE r.project_id = ? AND r.id > ? AND coalesce(d.head_commit_sha, r.head_sha) IS NOT NULL
  ORDER BY r.id LIMIT ${PAGE}`

/**
 * What git has to know of the merge requests that came along: their heads can be fetched, the commits of their versions are
 * kept, and the branches of open ones from forks are made again (spec administration 6.5).
 */
export async function settleMergeRequests(filling: Filling): Promise<void> {
  const { ctx, project, signal } = filling
  const repo = repoOf(ctx, project)
  const known = new Map((await listRefs(repo, 'refs/')).map(({ ref, oid }) => [ref, oid]))
  const sql = 'SELECT count(*) AS total FROM merge_requests WHERE project_id = ?'
  const { total } = ctx.db.one<{ total: number }>(sql, project.id)!
  let done = 0
  let written = 0
  for (let after = 0; ;) {
    signal.throwIfAborted()
    const rows = ctx.db.many<Row>(SELECT, project.id, after)
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
    filling.tell('merge_request_refs', (done += rows.length), total)
    await nextTurn()
  }
  if (written > 0) await withWriteLock(repo, () => packRefs(repo))
}

async function commitsThere(repo: Repo, rows: readonly Row[]): Promise<ReadonlySet<string>> {
  const ids = [...new Set(rows.flatMap(({ head, start }) => (start === null ? [head] : [head, start])))]
  const found = await Promise.all(ids.map((id) => resolveCommit(repo, id)))
  return new Set(found.filter((id) => id !== null))
}

function refsOf(rows: readonly Row[], there: ReadonlySet<string>): (RefUpdate & { new: string })[] {
  const heads = rows
    .filter(({ head }) => there.has(head))
    .map(({ iid, head }) => ({ ref: `refs/merge-requests/${iid}/head`, new: head }))
  const kept = new Set(rows.flatMap(({ head, start }) => [head, start ?? head]).filter((id) => there.has(id)))
  return [...heads, ...[...kept].map((id) => ({ ref: keepAroundRef(id), new: id }))]
}

const TWIN = `
  SELECT 1 FROM merge_requests WHERE source_project_id = ? AND source_branch = ? AND project_id = ? AND target_branch = ?
    AND state IN ('opened', 'locked') AND id <> ?`

/** An open merge request of a fork gets a branch here, of its own name where that is free or stands at the same commit. */
async function makeBranch({ ctx, project }: Filling, repo: Repo, row: Row): Promise<void> {
  const names = [row.source_branch, `${row.source_branch}-${row.iid}`]
  for (const branch of names) {
    if (!isBranchName(branch) || branch === row.target_branch) continue
    if (ctx.db.one(TWIN, project.id, branch, project.id, row.target_branch, row.id)) continue
    const tip = await branchTip(repo, branch)
    if (tip !== null && tip !== row.head) continue
    try {
      if (tip === null) await updateRefs(repo, [{ ref: `refs/heads/${branch}`, old: null, new: row.head }])
    } catch (error) {
      // Another branch may stand in the way of the name.
      ctx.log.info({ err: error, iid: row.iid }, 'a branch of a fork could not be made')
      continue
    }
    const sql = 'UPDATE merge_requests SET source_project_id = ?, source_branch = ? WHERE id = ?'
    tx(ctx.db, () => ctx.db.exec(sql, project.id, branch, row.id))
    return
  }
}

/** Which issues the open ones promise to close, in their texts and those of their commits, is not in archives. */
async function refreshClosing(
  { ctx, project, signal }: Filling,
  rows: readonly Row[],
  there: ReadonlySet<string>,
): Promise<void> {
  const current = projectById(ctx.db, project.id)
  if (!current) return
  const text = 'SELECT title, description FROM merge_requests WHERE id = ?'
  for (const { id, state, head } of rows) {
    const words = state === 'opened' && ctx.db.one<{ title: string; description: string | null }>(text, id)
    if (!words) continue
    const { title, description } = words
    // A description can be a megabyte, and others have their turn.
    await nextTurn()
    const promises = closingReferences([title, description ?? ''].join('\n'), ctx.config.url).length > 0
    if (!promises && !there.has(head)) continue
    signal.throwIfAborted()
    await refreshClosingIssues(ctx, current, id)
  }
}
