import type { Ctx } from '../../../ctx.ts'
import { branchTip, refTarget, resolveCommit } from '../../../git/revisions.ts'
import { repoOf, type Project } from '../../projects/index.ts'
import { isProtectedRef } from '../job_variables/protected-ref.ts'

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
    return {
      ref: name,
      sha: branch,
      kind: 'branch',
      isProtected: isProtectedRef(ctx.db, project.id, { kind: 'branch', name }),
    }
  }
  const tag = name.replace(/^refs\/tags\//, '')
  const isTag = (await refTarget(repo, `refs/tags/${tag}`)) !== null
  const sha = isTag ? await resolveCommit(repo, tag, { prefer: 'tag' }) : null
  const isProtected = isProtectedRef(ctx.db, project.id, { kind: 'tag', name: tag })
  return sha === null ? null : { ref: tag, sha, kind: 'tag', isProtected }
}
