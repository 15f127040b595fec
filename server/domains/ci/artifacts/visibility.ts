import type { Ctx } from '../../../ctx.ts'
import { isAble, canRead } from '../../../policy/ability.ts'
import { project, type Project } from '../../projects/index.ts'
import { abilities as jobAbilities } from '../policy.ts'
import { abilities } from './policy.ts'
import type { ArtifactRow } from './store.ts'

/** Whether the actor can download a file, by `artifacts:public` and `artifacts:access` of its job. */
export function mayFetch(ctx: Ctx, owner: Project, file: Pick<ArtifactRow, 'accessibility'>): boolean {
  if (!isAble(ctx, project, jobAbilities.read_jobs, owner)) return false
  switch (file.accessibility) {
    case 'public':
      return true
    case 'none':
      return false
    case 'maintainer':
      return isAble(ctx, project, abilities.read_maintainer_artifacts, owner)
    default:
      return isAble(ctx, project, abilities.read_private_artifacts, owner)
  }
}

/** A project that the actor can read, by id or path. A job token finds only the projects that it reaches. */
export function visibleProject(ctx: Ctx, reference: string): Project | undefined {
  const found = project.load(ctx, reference)
  return found && canRead(ctx, project, found) ? found : undefined
}
