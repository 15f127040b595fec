import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { isAncestor } from '../../../git/graph.ts'
import { listCommitIds } from '../../../git/log.ts'
import { repoOf, type Project } from '../../projects/index.ts'
import type { MergeRequestRow } from '../merge-request.ts'
import * as store from '../store.ts'
import { completeMerge } from './complete.ts'

/** Commits of the target that are looked through for the one that brought a merge request in. */
const MAX_WALK = 20_000

/**
 * Records that a merge request is merged because its head came into the target by other means, such as a push of a
 * merge made by hand. `ctx` acts for whoever did it.
 */
export async function settleByHand(
  ctx: Ctx,
  project: Project,
  request: MergeRequestRow,
  tip: string,
): Promise<void> {
  const merge_commit_sha = await broughtBy(ctx, project, request.head_sha!, tip)
  tx(ctx.db, () => {
    const current = store.byId(ctx.db, request.id)
    if (current?.state !== 'opened' || current.head_sha !== request.head_sha) return
    completeMerge(ctx, project, current, { merge_commit_sha, squash_commit_sha: null })
  })
}

/** The commit on the target's own line that holds the head first: a merge, or the head itself. */
async function broughtBy(ctx: Ctx, project: Project, head: string, tip: string): Promise<string> {
  const repo = repoOf(ctx, project)
  const range = { tips: [tip], not: [head] }
  const line = await listCommitIds(repo, range, { limit: MAX_WALK, firstParent: true })
  // Commits of the line that do not hold the head stand below all that do.
  let [low, high] = [0, line.length]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (await isAncestor(repo, head, line[middle]!)) low = middle + 1
    else high = middle
  }
  return low === 0 ? head : line[low - 1]!
}
