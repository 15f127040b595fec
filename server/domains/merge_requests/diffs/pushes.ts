import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { isAncestor } from '../../../git/read/graph.ts'
import { listCommitIds } from '../../../git/read/log.ts'
import { branchTip, findObject } from '../../../git/read/revisions.ts'
import type { Repo } from '../../../git/types.ts'
import { projectById, repoOf, type Project } from '../../projects/index.ts'
import { recordManualMerge } from '../merging/complete.ts'
import { actingAs } from '../policy.ts'
import type { MergeRequestRow } from '../types.ts'
import { requestFollow } from './jobs.ts'
import { noteBranchChange } from './push-notes.ts'
import * as store from './store.ts'
import { latestDiff } from './store.ts'

/**
 * The maximum number of new commits of a push that are listed once for all merge requests. For a larger push, git is
 * queried for each merge request.
 */
const MAX_NEW_COMMITS = 20_000

/** The refs that a push moved. */
interface Push {
  readonly project_id: number
  readonly actor_id: number | null
  readonly updates: readonly RefMove[]
}

interface RefMove {
  readonly ref: string
  readonly old: string | null
  readonly new: string | null
}

const BRANCH = 'refs/heads/'

/** Updates the merge requests from and into the branches of a push. */
export async function followPush(ctx: Ctx, push: Push): Promise<void> {
  const project = projectById(ctx.db, push.project_id)
  if (!project) return
  const actorCtx = actingAs(ctx, push.actor_id)
  for (const move of push.updates) {
    if (!move.ref.startsWith(BRANCH)) continue
    const branch = move.ref.slice(BRANCH.length)
    await followTarget(actorCtx, project, branch, move)
    followSource(actorCtx, project, branch, move)
  }
}

function followSource(ctx: Ctx, project: Project, branch: string, move: RefMove): void {
  for (const request of store.openFrom(ctx.db, project.id, branch)) {
    const event = move.new === null ? 'deleted' : move.old === null ? 'restored' : undefined
    tx(ctx.db, () => {
      if (event) {
        store.markUnchecked(ctx.db, [request.id])
        noteBranchChange(ctx, request, event)
      }
      if (move.new !== null) {
        requestFollow(ctx, { merge_request_id: request.id, actor_id: ctx.actor.id })
      }
    })
  }
}

async function followTarget(ctx: Ctx, project: Project, branch: string, move: RefMove): Promise<void> {
  const requests = store.openInto(ctx.db, project.id, branch)
  if (requests.length === 0) return
  const ids = requests.map((request) => request.id)
  store.markUnchecked(ctx.db, ids)
  const repo = repoOf(ctx, project)
  const tip = move.new === null ? null : await branchTip(repo, branch)
  if (tip === null) return
  const newCommits = await newCommitsOf(repo, move.old, tip)
  const isForced = move.old !== null && !(await isAncestorOf(repo, move.old, tip))
  // They need a new base, because the target branch got some of their commits or lost their old base.
  const idsForNewBase =
    isForced || !newCommits ? new Set(ids) : store.withCommitAmong(ctx.db, ids, newCommits)
  const newCommitSet = newCommits && new Set(newCommits)
  for (const request of requests) {
    const hasCommits = latestDiff(ctx.db, request)?.state !== 'empty'
    if (hasCommits && (await containsHead(repo, tip, request, newCommitSet)))
      await recordManualMerge(ctx, project, request, tip)
    else if (idsForNewBase.has(request.id)) {
      requestFollow(ctx, { merge_request_id: request.id, actor_id: ctx.actor.id, rebase: true })
    }
  }
}

/** Lists the new commits of a branch. Returns undefined when the old head is unknown or there are too many. */
async function newCommitsOf(repo: Repo, old: string | null, tip: string): Promise<string[] | undefined> {
  if (old === null || (await findObject(repo, old, 'commit')) === null) return undefined
  const ids = await listCommitIds(repo, { tips: [tip], not: [old] }, { limit: MAX_NEW_COMMITS + 1 })
  return ids.length > MAX_NEW_COMMITS ? undefined : ids
}

async function isAncestorOf(repo: Repo, old: string, tip: string): Promise<boolean> {
  return (await findObject(repo, old, 'commit')) !== null && isAncestor(repo, old, tip)
}

async function containsHead(
  repo: Repo,
  tip: string,
  request: MergeRequestRow,
  newCommits: ReadonlySet<string> | undefined,
): Promise<boolean> {
  const { head_sha: head } = request
  if (head === null) return false
  return newCommits ? newCommits.has(head) : isAncestor(repo, head, tip)
}
