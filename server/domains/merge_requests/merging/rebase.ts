import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { copyCommits } from '../../../git/copy-commits.ts'
import { GitRefError } from '../../../git/errors.ts'
import { listCommits } from '../../../git/log.ts'
import { rebaseCommits } from '../../../git/rebase.ts'
import { job, type Job } from '../../../jobs/job.ts'
import { projectById, repoOf, type Project } from '../../projects/index.ts'
import { committerOf, moveRefs, refusalOf } from '../../repository/index.ts'
import { actingAs } from '../acting.ts'
import { sourceProject, tipsOf } from '../diffs/tips.ts'
import { MergeFailed } from '../events.ts'
import { eventOf } from '../service-events.ts'
import type { MergeRequestRow } from '../merge-request.ts'
import * as store from '../store.ts'

/** What is shown when the commits do not fit (as the reference says it). */
const CONFLICT = 'Rebase failed: Rebase locally, resolve all conflicts, then push the branch.'
/** Commits that are rebased at most. */
const MAX_COMMITS = 10_000

/** Rebases the source branch of a merge request onto its target, in the name of whoever asked for it. */
export const rebaseJob: Job<{ merge_request_id: number; actor_id: number | null }> = job(
  'merge_requests.rebase',
  { args: { merge_request_id: z.number(), actor_id: z.number().nullable() }, retries: 0 },
  async (ctx, args) => {
    const request = store.byId(ctx.db, args.merge_request_id)
    const project = request && projectById(ctx.db, request.project_id)
    if (!request || !project) return
    const acting = actingAs(ctx, args.actor_id)
    try {
      finish(acting, request, await rebase(acting, project, request))
    } catch (error) {
      finish(acting, request, 'Rebase failed because of an error in the server. Please try again.')
      throw error
    }
  },
)

/** What went wrong, as a sentence; undefined when the branch stands on the target now. */
async function rebase(ctx: Ctx, project: Project, request: MergeRequestRow): Promise<string | undefined> {
  const source = sourceProject(ctx, project, request)
  const { repo, head, target, source: from } = await tipsOf(ctx, project, request)
  if (!source || !from || head === null) return 'Rebase failed: Source branch does not exist.'
  if (target === null) return 'Rebase failed: Target branch does not exist.'
  if (from.gitDir !== repo.gitDir) await copyCommits(from, repo, [head])
  const range = { tips: [head], not: [target] }
  const page = { range, no_merges: true, order: 'topo', limit: MAX_COMMITS } as const
  const commits = (await listCommits(repo, page)).toReversed()
  const result = await rebaseCommits(repo, commits, { onto: target, committer: committerOf(ctx) })
  if (!('tip' in result)) return CONFLICT
  if (result.tip === head) return undefined
  if (from.gitDir !== repo.gitDir) await copyCommits(repo, from, [result.tip])
  return push(ctx, source, { branch: request.source_branch, old: head, new: result.tip })
}

async function push(
  ctx: Ctx,
  source: Project,
  move: { branch: string; old: string; new: string },
): Promise<string | undefined> {
  const repo = repoOf(ctx, source)
  const changes = [{ ref: `refs/heads/${move.branch}`, old: move.old, new: move.new }]
  const refusal = await refusalOf({ ctx, project: source, repo, source: 'api', changes })
  if (refusal) return `Something went wrong during the rebase pre-receive hook: ${refusal}`
  try {
    await moveRefs(ctx, source, { source: 'api', changes })
  } catch (error) {
    if (error instanceof GitRefError) return 'Rebase failed: The source branch was changed meanwhile.'
    throw error
  }
  return undefined
}

function finish(ctx: Ctx, request: MergeRequestRow, problem: string | undefined): void {
  tx(ctx.db, () => {
    if (!store.byId(ctx.db, request.id)) return
    store.update(ctx.db, request.id, { rebase_in_progress: false, merge_error: problem ?? null })
    if (problem) publish(ctx, MergeFailed, { ...eventOf(ctx, request), reason: problem })
  })
}
