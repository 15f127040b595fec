import type { Ctx } from './ctx.ts'
import { group, type Group } from './domains/groups/index.ts'
import { project } from './domains/projects/index.ts'
import { canRead } from './policy/ability.ts'

interface Owned {
  project_id?: number
  group_id?: number
  user_id?: number
  actor_id?: number | null
  /** The group that a deleted one was below. */
  parent_id?: number | null
}

/**
 * Whether a window may hear of a fact: of what its user can read, of what they did, and of themselves, so that who has
 * lost something hears of that too. The payload holds ids only, and the window reads the rest through the API.
 */
export function mayHear(ctx: Ctx, payload: unknown): boolean {
  if (ctx.actor.is_admin) return true
  const { project_id, group_id, user_id, actor_id, parent_id } = payload as Owned
  const { id } = ctx.actor
  if (id !== null && (user_id === id || actor_id === id)) return true
  if (project_id !== undefined) {
    const found = project.load(ctx, String(project_id))
    return found !== undefined && canRead(ctx, project, found)
  }
  if (group_id !== undefined) {
    const found = group.load(ctx, String(group_id)) ?? (parent_id && group.load(ctx, String(parent_id)))
    return Boolean(found) && canRead(ctx, group, found as Group)
  }
  return false
}
