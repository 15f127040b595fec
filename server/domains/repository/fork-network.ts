import type { Ctx } from '../../ctx.ts'
import type { Repo } from '../../git/types.ts'
import { canRead, isAble } from '../../policy/ability.ts'
import { abilities, project as scope, repoOf, type Project } from '../projects/index.ts'
import { withObjectsOf } from '../../git/upkeep/alternates.ts'

/** Projects that were forked from each other, directly or not, have the number of the first one. */
function networkOf(project: Project): number {
  return project.fork_network_id ?? project.id
}

/**
 * Another project of the same fork network, by id or path, whose code the actor may read; the project itself is one.
 * Undefined when there is none.
 */
export function forkRelative(ctx: Ctx, project: Project, reference: string): Project | undefined {
  const found = scope.load(ctx, reference)
  if (!found || found.id === project.id) return found
  const isVisible = canRead(ctx, scope, found) && isAble(ctx, scope, abilities.read_code, found)
  return isVisible && networkOf(found) === networkOf(project) ? found : undefined
}

/** The repository of a project with the objects of another project in sight. For reading only. */
export function repoBeside(ctx: Ctx, project: Project, other: Project): Repo {
  return withObjectsOf(repoOf(ctx, project), repoOf(ctx, other))
}
