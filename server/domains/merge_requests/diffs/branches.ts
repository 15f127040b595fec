import type { Ctx } from '../../../ctx.ts'
import { branchTip } from '../../../git/read/revisions.ts'
import type { Repo } from '../../../git/types.ts'
import { system } from '../../../policy/actor.ts'
import { projectById, repoOf, type Project } from '../../projects/index.ts'
import { actingAs } from '../policy.ts'
import * as requests from '../store.ts'
import type { MergeRequestRow } from '../types.ts'
import { makeVersion } from './version.ts'

/** Runs `work` under the lock of a merge request's branches. Do not nest. */
function withBranchLock<T>(ctx: Ctx, project: Project, id: number, work: () => Promise<T>): Promise<T> {
  return ctx.git.locks.run(`${repoOf(ctx, project).key}\0merge_request\0${id}`, work)
}

/**
 * Makes the first version of a merge request if its job has not run yet. Returns the current row, without a version if
 * a branch is missing.
 */
export async function ensureVersion(
  ctx: Ctx,
  project: Project,
  request: MergeRequestRow,
): Promise<MergeRequestRow> {
  if (request.latest_diff_id !== null) return request
  return withBranchLock(ctx, project, request.id, async () => {
    const current = requests.byId(ctx.db, request.id) ?? request
    if (current.latest_diff_id !== null) return current
    const { head, target, ...repos } = await tipsOf(ctx, project, current)
    if (head === null || target === null) return current
    return makeVersion(actingAs(ctx, current.author_id), current, { ...repos, head, target })
  })
}

/**
 * Makes sure that the newest version has the current head, before a decision. If the job of a push has not run yet, this
 * makes the new version.
 */
export async function followBranchTips(
  ctx: Ctx,
  project: Project,
  before: MergeRequestRow,
): Promise<MergeRequestRow> {
  const request = await ensureVersion(ctx, project, before)
  const { head } = await tipsOf(ctx, project, request)
  if (head === null || head === request.head_sha) return request
  // The user who pushed is unknown here.
  const systemCtx = { ...ctx, actor: system }
  await followBranches(systemCtx, project, { merge_request_id: request.id, rebase: false })
  return requests.byId(ctx.db, request.id) ?? request
}

/**
 * Makes a new version of an open merge request if its head moved, or if `rebase` requires a new base. `ctx` acts as the
 * user who moved the branches.
 */
export async function followBranches(
  ctx: Ctx,
  project: Project,
  options: { merge_request_id: number; rebase: boolean },
): Promise<void> {
  await withBranchLock(ctx, project, options.merge_request_id, async () => {
    const request = requests.byId(ctx.db, options.merge_request_id)
    if (!request || request.state !== 'opened') return
    const { head, target, ...repos } = await tipsOf(ctx, project, request)
    if (head === null || target === null) return
    if (head === request.head_sha && request.latest_diff_id !== null && !options.rebase) return
    await makeVersion(ctx, request, { ...repos, head, target })
  })
}

/** The current heads of the branches of a merge request. */
export interface Tips {
  /** The repository of the target project. */
  readonly repo: Repo
  /** The repository of the source project. Null when it is deleted. */
  readonly source: Repo | null
  /** Head of the source branch; null when it is missing. Its commits may not be in `repo` yet. */
  readonly head: string | null
  /** Head of the target branch; null when it is missing. */
  readonly target: string | null
}

/** Returns the source project of a merge request. Undefined when it is deleted. */
export function sourceProject(
  ctx: Pick<Ctx, 'db'>,
  project: Project,
  request: Pick<MergeRequestRow, 'source_project_id'>,
): Project | undefined {
  const { source_project_id: id } = request
  if (id === project.id) return project
  return id === null ? undefined : projectById(ctx.db, id)
}

/** Reads the heads of the branches of a merge request, without starting a git process. */
export async function tipsOf(
  ctx: Ctx,
  project: Project,
  request: Pick<MergeRequestRow, 'source_project_id' | 'source_branch' | 'target_branch'>,
): Promise<Tips> {
  const repo = repoOf(ctx, project)
  const from = sourceProject(ctx, project, request)
  const source = from ? repoOf(ctx, from) : null
  const [head, target] = await Promise.all([
    source && branchTip(source, request.source_branch).catch(() => null),
    branchTip(repo, request.target_branch),
  ])
  return { repo, source, head, target }
}
