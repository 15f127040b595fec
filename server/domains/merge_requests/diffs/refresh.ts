import type { Ctx } from '../../../ctx.ts'
import { system } from '../../../policy/actor.ts'
import { repoOf, type Project } from '../../projects/index.ts'
import { actingAs } from '../acting.ts'
import type { MergeRequestRow } from '../merge-request.ts'
import * as requests from '../store.ts'
import { tipsOf } from './tips.ts'
import { makeVersion } from './version.ts'

/** Runs `work` as the only one that looks at the branches of a merge request. Do not nest. */
function alone<T>(ctx: Ctx, project: Project, id: number, work: () => Promise<T>): Promise<T> {
  return ctx.git.locks.run(`${repoOf(ctx, project).key}\0merge_request\0${id}`, work)
}

/**
 * Sees to it that a merge request has a version: the first is made by a job, and whoever asks before it ran makes it.
 * Answers with the row as it is then; without a version where one of the branches is gone.
 */
export async function ensureVersion(
  ctx: Ctx,
  project: Project,
  request: MergeRequestRow,
): Promise<MergeRequestRow> {
  if (request.latest_diff_id !== null) return request
  return alone(ctx, project, request.id, async () => {
    const current = requests.byId(ctx.db, request.id) ?? request
    if (current.latest_diff_id !== null) return current
    const { head, target, ...repos } = await tipsOf(ctx, project, current)
    if (head === null || target === null) return current
    return makeVersion(actingAs(ctx, current.author_id), current, { ...repos, head, target })
  })
}

/**
 * The merge request with a version of the head as it stands, for whoever is about to decide by it: a push that nobody has
 * followed yet is followed now.
 */
export async function catchUp(ctx: Ctx, project: Project, given: MergeRequestRow): Promise<MergeRequestRow> {
  const request = await ensureVersion(ctx, project, given)
  const { head } = await tipsOf(ctx, project, request)
  if (head === null || head === request.head_sha) return request
  // Who pushed is not known here.
  const itself = { ...ctx, actor: system }
  await followBranches(itself, project, { merge_request_id: request.id, rebase: false })
  return requests.byId(ctx.db, request.id) ?? request
}

/**
 * Follows the branches of an open merge request: makes a version where the head of the source moved, or where the base
 * has to be looked for anew. `ctx` acts for whoever moved them.
 */
export async function followBranches(
  ctx: Ctx,
  project: Project,
  given: { merge_request_id: number; rebase: boolean },
): Promise<void> {
  await alone(ctx, project, given.merge_request_id, async () => {
    const request = requests.byId(ctx.db, given.merge_request_id)
    if (!request || request.state !== 'opened') return
    const { head, target, ...repos } = await tipsOf(ctx, project, request)
    if (head === null || target === null) return
    if (head === request.head_sha && request.latest_diff_id !== null && !given.rebase) return
    await makeVersion(ctx, request, { ...repos, head, target })
  })
}
