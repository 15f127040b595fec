import type { Ctx } from '../../../ctx.ts'
import { branchTip } from '../../../git/revisions.ts'
import type { Repo } from '../../../git/types.ts'
import { projectById, repoOf, type Project } from '../../projects/index.ts'
import type { MergeRequestRow } from '../merge-request.ts'

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
