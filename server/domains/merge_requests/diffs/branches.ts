import type { Ctx } from '../../../ctx.ts'
import { branchTip } from '../../../git/revisions.ts'
import type { Repo } from '../../../git/types.ts'
import { system } from '../../../policy/actor.ts'
import { projectById, repoOf, type Project } from '../../projects/index.ts'
import { actingAs } from '../policy.ts'
import * as requests from '../store.ts'
import type { MergeRequestRow } from '../types.ts'
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

/** Where the two branches of a merge request stand now. */
export interface Tips {
  /** The repository that is merged into. */
  readonly repo: Repo
  /** The repository of the source branch; null where the fork is gone. */
  readonly source: Repo | null
  /** Head of the source branch; null where it is gone. Its commits need not be in `repo` yet. */
  readonly head: string | null
  /** Head of the target branch; null where it is gone. */
  readonly target: string | null
}

/** The project that a merge request comes from; undefined where it is gone. */
export function sourceProject(
  ctx: Pick<Ctx, 'db'>,
  project: Project,
  request: Pick<MergeRequestRow, 'source_project_id'>,
): Project | undefined {
  const { source_project_id: id } = request
  if (id === project.id) return project
  return id === null ? undefined : projectById(ctx.db, id)
}

/** Looks where the branches of a merge request stand; no process is started. */
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
