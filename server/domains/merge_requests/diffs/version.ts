import { createHash } from 'node:crypto'

import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import type { Commit } from '../../../git/read/commits.ts'
import { copyCommits } from '../../../git/write/copy-commits.ts'
import { readDiff, type Diff, type FileDiff } from '../../../git/read/diff.ts'
import { mergeBase } from '../../../git/read/graph.ts'
import { listCommits } from '../../../git/read/log.ts'
import type { Repo } from '../../../git/types.ts'
import { keepAroundRef, listRefs, updateRefs } from '../../../git/write/refs.ts'
import { columnChanges } from '../../../lib/column-changes.ts'
import { projectById, inRepository } from '../../projects/index.ts'
import { diffLimits, linkLargeFilesFromNetwork } from '../../repository/index.ts'
import { eventFields, MergeRequestPushed } from '../events.ts'
import { clearAutoMerge } from '../merging/auto-merge-state.ts'
import * as requests from '../store.ts'
import type { MergeRequestRow } from '../types.ts'
import type { Tips } from './branches.ts'
import { notePush } from './push-notes.ts'
import * as store from './store.ts'
import { latestDiff } from './store.ts'

/** The maximum number of commits of a version. */
const MAX_COMMITS = 10_000

/** The commits that a version compares. */
interface VersionCommits {
  readonly repo: Repo
  readonly head: string
  readonly start: string
  /** Null when the histories are unrelated. */
  readonly base: string | null
}

/**
 * Makes a version of the current heads: copies the commits from a fork, protects them from pruning and stores the
 * version. Returns the updated merge request, unchanged if the newest version is equal. `ctx` acts as the user who
 * pushed.
 */
export async function makeVersion(
  ctx: Ctx,
  request: MergeRequestRow,
  tips: Tips & { head: string; target: string },
): Promise<MergeRequestRow> {
  const { repo, source, head, target: start } = tips
  if (source && source.gitDir !== repo.gitDir) {
    await copyCommits(source, repo, [head])
    await linkLargeFilesFromNetwork(ctx, projectById(ctx.db, request.project_id), repo, [head])
  }
  const refs = { repo, head, start, base: await mergeBase(repo, start, head) }
  const previous = latestDiff(ctx.db, request)
  if (previous && isSame(previous, refs)) return request
  const [commits, diff] = await Promise.all([
    listCommits(repo, { range: { tips: [head], not: [start] }, limit: MAX_COMMITS }),
    readDiff(repo, { from: refs.base ?? start, to: head }, diffLimits(ctx)),
    storeVersion(repo, request.iid, refs),
  ])
  const pushed =
    previous && previous.head_commit_sha !== head
      ? await listPushedCommits(repo, previous.head_commit_sha, head)
      : []
  return tx(ctx.db, () => saveVersion(ctx, request, { refs, previous, commits, diff, pushed }))
}

function isSame(previous: store.DiffVersionRow, { head, start, base }: VersionCommits): boolean {
  return (
    previous.head_commit_sha === head &&
    previous.start_commit_sha === start &&
    previous.base_commit_sha === base
  )
}

/** Lists the commits of a push, newest first. */
function listPushedCommits(repo: Repo, old: string, head: string): Promise<Commit[]> {
  return listCommits(repo, { range: { tips: [head], not: [old] }, limit: MAX_COMMITS })
}

interface VersionData {
  readonly refs: VersionCommits
  readonly previous: store.DiffVersionRow | undefined
  readonly commits: readonly Commit[]
  readonly diff: Diff
  /** Commits between the old and the new head, also those of the target branch. */
  readonly pushed: readonly Commit[]
}

function saveVersion(ctx: Ctx, before: MergeRequestRow, data: VersionData): MergeRequestRow {
  const request = requests.byId(ctx.db, before.id)
  // The merge request was deleted while git was read.
  if (!request) return before
  const { refs, previous, commits, diff, pushed } = data
  const ids = commits.map((commit) => commit.id)
  const patch_id = patchId(diff.files)
  const version = store.insert(
    ctx.db,
    {
      merge_request_id: request.id,
      state: stateOf(data),
      head_commit_sha: refs.head,
      base_commit_sha: refs.base,
      start_commit_sha: refs.start,
      real_size: sizeOf(ctx, diff),
      patch_id,
      created_at: ctx.now,
    },
    ids,
  )
  const updated = requests.update(ctx.db, request.id, {
    head_sha: refs.head,
    latest_diff_id: version.id,
    prepared_at: request.prepared_at ?? ctx.now,
    ...(previous ? { merge_status: 'unchecked', merge_error: null, updated_at: ctx.now } : {}),
  })
  if (previous && previous.head_commit_sha !== refs.head) {
    notePush(ctx, updated, { version, previous, pushed, ids })
    clearAutoMerge(ctx, updated, 'source branch was updated')
  }
  publish(ctx, MergeRequestPushed, {
    ...eventFields(ctx, request),
    diff_id: version.id,
    old_head: previous?.head_commit_sha ?? null,
    new_head: refs.head,
    content_changed: previous?.patch_id !== patch_id,
    changes: columnChanges(request, updated),
  })
  return requests.byId(ctx.db, request.id)!
}

function stateOf({ commits, diff }: VersionData): store.DiffVersionRow['state'] {
  if (commits.length === 0) return 'empty'
  if (diff.total_files === 0) return 'without_files'
  return diff.overflow ? 'overflow' : 'collected'
}

/** Returns the number of changed files for `changes_count`, such as `1000+` above the limit (spec core 5.1). */
function sizeOf(ctx: Ctx, diff: Diff): string {
  const limit = diffLimits(ctx).max_files ?? diff.total_files
  return diff.total_files > limit ? `${limit}+` : String(diff.total_files)
}

/**
 * Returns an ID of a change that does not depend on its base, as `git patch-id` does: line numbers and white space do
 * not count. A binary or too large file contributes the IDs of its old and new blob.
 */
export function patchId(files: readonly FileDiff[]): string {
  const hash = createHash('sha1')
  for (const file of files) {
    hash.update(`${file.old_path}\0${file.new_path}\0${file.a_mode}\0${file.b_mode}\0`)
    hash.update(isText(file) ? textOf(file.diff) : `${file.old_id}\0${file.new_id}`)
    hash.update('\0')
  }
  return hash.digest('hex')
}

function isText(file: FileDiff): boolean {
  return !file.binary && !file.too_large && !file.collapsed
}

function textOf(diff: string): string {
  return diff.replace(/^@@ .*$/gm, '').replace(/\s+/g, '')
}

/**
 * Returns a ref of a merge request that clients can fetch: `head` is its newest commit, `merge` the result of merging
 * it.
 */
export function mergeRequestRef(iid: number, name: 'head' | 'merge'): string {
  return `refs/merge-requests/${iid}/${name}`
}

/** Moves the head ref of a merge request, and keeps the commits of the version from being pruned. */
export async function storeVersion(
  repo: Repo,
  iid: number,
  version: { head: string; start: string },
): Promise<void> {
  const keptCommits = [...new Set([version.head, version.start])]
  await updateRefs(repo, [
    { ref: mergeRequestRef(iid, 'head'), new: version.head },
    ...keptCommits.map((commit) => ({ ref: keepAroundRef(commit), new: commit })),
  ])
}

/** Removes the refs of a deleted merge request. Its commits stay, since links may lead to them. */
export async function removeRefs(ctx: Ctx, request: { project_id: number; iid: number }): Promise<void> {
  const project = projectById(ctx.db, request.project_id)
  if (!project) return
  await inRepository(ctx, project, async (repo) => {
    const refs = await listRefs(repo, `refs/merge-requests/${request.iid}/`)
    await updateRefs(
      repo,
      refs.map(({ ref }) => ({ ref, new: null })),
    )
  })
}
