import type { Ctx } from '../../../ctx.ts'
import { branchTip, refTarget, resolveCommit } from '../../../git/revisions.ts'
import { repoOf, type Project } from '../../projects/index.ts'
import { protecting, protectionsOf } from '../../repository/index.ts'

/** What a trial is made for. */
export interface Target {
  /** Short name. */
  readonly ref: string
  readonly sha: string
  readonly kind: 'branch' | 'tag'
  readonly isProtected: boolean
}

/** The branch or tag of a name, the default branch without one; null where there is none. */
export async function targetOf(ctx: Ctx, project: Project, ref: string | undefined): Promise<Target | null> {
  const repo = repoOf(ctx, project)
  const name = (ref || project.default_branch).replace(/^refs\/heads\//, '')
  const branch = await branchTip(repo, name)
  if (branch !== null) {
    const isProtected = protecting(protectionsOf(ctx.db, project.id), name).length > 0
    return { ref: name, sha: branch, kind: 'branch', isProtected }
  }
  const tag = name.replace(/^refs\/tags\//, '')
  const isTag = (await refTarget(repo, `refs/tags/${tag}`)) !== null
  const sha = isTag ? await resolveCommit(repo, tag, { prefer: 'tag' }) : null
  // Only branches can be protected so far.
  return sha === null ? null : { ref: tag, sha, kind: 'tag', isProtected: false }
}
