import type { Ctx } from './ctx.ts'
import { group } from './domains/groups/index.ts'
import { project } from './domains/projects/index.ts'
import { canRead } from './policy/ability.ts'

interface Owned {
  project_id?: number
  group_id?: number
  user_id?: number
}

/**
 * Whether a window may hear of a fact: of what its user can read, and of the user itself. The payload holds ids only,
 * and the window reads the rest through the API.
 */
export function mayHear(ctx: Ctx, payload: unknown): boolean {
  if (ctx.actor.is_admin) return true
  const { project_id, group_id, user_id } = payload as Owned
  if (project_id !== undefined) {
    const found = project.load(ctx, String(project_id))
    return found !== undefined && canRead(ctx, project, found)
  }
  if (group_id !== undefined) {
    const found = group.load(ctx, String(group_id))
    return found !== undefined && canRead(ctx, group, found)
  }
  return user_id !== undefined && user_id === ctx.actor.id
}
