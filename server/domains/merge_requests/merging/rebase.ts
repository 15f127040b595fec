import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { copyCommits } from '../../../git/write/copy-commits.ts'
import { GitRefError } from '../../../git/errors.ts'
import { listCommits } from '../../../git/read/log.ts'
import { rebaseCommits } from '../../../git/write/rebase.ts'
import { enqueue, job, type Job } from '../../../jobs/job.ts'
import { fail, type Failure } from '../../../lib/fail.ts'
import { hasAbility } from '../../../policy/ability.ts'
import {
  abilities as projectAbilities,
  inRepository,
  project as scope,
  projectById,
  repoOf,
  type Project,
  protectionsOf,
} from '../../projects/index.ts'
import {
  allows,
  allowsForce,
  committerOf,
  moveRefs,
  protecting,
  pusherOf,
  refusalOf,
} from '../../repository/index.ts'
import { sourceProject, tipsOf } from '../diffs/branches.ts'
import { eventFields, MergeFailed } from '../events.ts'
import { actingAs, mayPushAsCollaborator } from '../policy.ts'
import * as store from '../store.ts'
import type { MergeRequestRow } from '../types.ts'

/** The error sentence for conflicts, from the contract. */
const CONFLICT = 'Rebase failed: Rebase locally, resolve all conflicts, then push the branch.'

/** The maximum number of commits of a rebase. */
const MAX_COMMITS = 10_000

/** Rebases the source branch of a merge request onto its target branch, as the user who requested it. */
export const rebaseJob: Job<{ merge_request_id: number; actor_id: number | null; skip_ci: boolean }> = job(
  'merge_requests.rebase',
  {
    args: {
      merge_request_id: z.number(),
      actor_id: z.number().nullable(),
      skip_ci: z.boolean().default(false),
    },
    retries: 0,
  },
  async (ctx, args) => {
    const request = store.byId(ctx.db, args.merge_request_id)
    const project = request && projectById(ctx.db, request.project_id)
    if (!request || !project) return
    const actorCtx = actingAs(ctx, args.actor_id)
    try {
      finish(actorCtx, request, await rebase(actorCtx, project, request, args.skip_ci))
    } catch (error) {
      finish(actorCtx, request, 'Rebase failed because of an error in the server. Please try again.')
      throw error
    }
  },
)

/** Rebases the branch. Returns a sentence about the problem, or undefined after success. */
async function rebase(
  ctx: Ctx,
  project: Project,
  request: MergeRequestRow,
  skipCi: boolean,
): Promise<string | undefined> {
  const source = sourceProject(ctx, project, request)
  const { repo, head, target, source: sourceRepo } = await tipsOf(ctx, project, request)
  if (!source || !sourceRepo || head === null) return 'Rebase failed: Source branch does not exist.'
  if (target === null) return 'Rebase failed: Target branch does not exist.'
  if (sourceRepo.gitDir !== repo.gitDir) await copyCommits(sourceRepo, repo, [head])
  const range = { tips: [head], not: [target] }
  const page = { range, no_merges: true, order: 'topo', limit: MAX_COMMITS } as const
  const commits = (await listCommits(repo, page)).toReversed()
  const result = await rebaseCommits(repo, commits, { onto: target, committer: committerOf(ctx) })
  if (!('tip' in result)) return CONFLICT
  if (result.tip === head) return undefined
  if (sourceRepo.gitDir !== repo.gitDir) await copyCommits(repo, sourceRepo, [result.tip])
  return push(ctx, source, { branch: request.source_branch, old: head, new: result.tip, skipCi })
}

async function push(
  ctx: Ctx,
  source: Project,
  move: { branch: string; old: string; new: string; skipCi: boolean },
): Promise<string | undefined> {
  const repo = repoOf(ctx, source)
  const changes = [{ ref: `refs/heads/${move.branch}`, old: move.old, new: move.new }]
  const refusal = await refusalOf({ ctx, project: source, repo, source: 'api', changes })
  if (refusal) return `Something went wrong during the rebase pre-receive hook: ${refusal}`
  try {
    await moveRefs(ctx, source, { source: 'api', changes, push_options: move.skipCi ? ['ci.skip'] : [] })
  } catch (error) {
    if (error instanceof GitRefError) return 'Rebase failed: The source branch was changed in the meantime.'
    throw error
  }
  return undefined
}

function finish(ctx: Ctx, request: MergeRequestRow, problem: string | undefined): void {
  tx(ctx.db, () => {
    if (!store.byId(ctx.db, request.id)) return
    store.update(ctx.db, request.id, { rebase_in_progress: false, merge_error: problem ?? null })
    if (problem) publish(ctx, MergeFailed, { ...eventFields(ctx, request), reason: problem })
  })
}

const BUSY =
  'Failed to enqueue the rebase operation, possibly due to a long-lived transaction. Try again later.'

/**
 * Starts a rebase in the background. Throws 403 when the source branch is missing or the actor may not force push to
 * it, 409 when the merge request is not open or a rebase is running (spec core 5.2). With `skip_ci`, the pipeline of
 * the branch is skipped, as after `git push -o ci.skip`.
 */
export async function startRebase(
  ctx: Ctx,
  project: Project,
  before: MergeRequestRow,
  { skip_ci = false }: { skip_ci?: boolean } = {},
): Promise<MergeRequestRow> {
  await checkPush(ctx, project, before)
  return tx(ctx.db, () => {
    const request = store.byId(ctx.db, before.id)
    if (request?.state !== 'opened' || request.rebase_in_progress) throw fail('conflict', BUSY)
    enqueue(ctx, rebaseJob, { merge_request_id: request.id, actor_id: ctx.actor.id, skip_ci })
    return store.update(ctx.db, request.id, { rebase_in_progress: true, merge_error: null })
  })
}

const forbidden = (reason: string): Failure => fail('forbidden', `403 Forbidden - ${reason}`)

async function checkPush(ctx: Ctx, project: Project, request: MergeRequestRow): Promise<void> {
  const source = sourceProject(ctx, project, request)
  const { head } = await inRepository(ctx, project, () => tipsOf(ctx, project, request))
  if (!source || head === null) throw forbidden('Source branch does not exist')
  const matching = protecting(protectionsOf(ctx.db, source.id), request.source_branch)
  const mayPush = hasAbility(ctx, scope, projectAbilities.push_code, source, true)
  if (
    !(mayPush || mayPushAsCollaborator(ctx, { project, source, request })) ||
    !allowsPush(ctx, source, matching, mayPush)
  ) {
    throw forbidden('Cannot push to source branch')
  }
  if (!allowsForce(matching)) throw forbidden('Source branch is protected from force push')
}

function allowsPush(
  ctx: Ctx,
  source: Project,
  matching: Parameters<typeof allows>[0],
  mayPush: boolean,
): boolean {
  return matching.length === 0 || (mayPush && allows(matching, 'push', pusherOf(ctx, source)))
}
