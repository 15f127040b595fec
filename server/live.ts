import type { Ctx } from './ctx.ts'
import { group, type Group } from './domains/groups/index.ts'
import { mayReadId } from './domains/issuables/index.ts'
import { project, type Project } from './domains/projects/index.ts'
import { canRead } from './policy/ability.ts'
import { REPORTER } from './policy/levels.ts'

interface Owned {
  project_id?: number
  group_id?: number
  user_id?: number
  actor_id?: number | null
  /** The group that a deleted one was below. */
  parent_id?: number | null
}

/** What else facts about issues, merge requests and notes say. */
interface Planned {
  kind?: string
  id?: number
  issue_id?: number
  merge_request_id?: number
  noteable_type?: string
  noteable_id?: number | null
  confidential?: boolean
  internal?: boolean
}

/** Whether who sees a project may hear of what a fact is about: a confidential issue, or an internal note, is not for all. */
function mayHearOf(ctx: Ctx, owner: Project, fact: Planned): boolean {
  if (fact.internal === true && project.roleOf(ctx, owner) < REPORTER) return false
  const [kind, id] =
    fact.issue_id !== undefined
      ? ['Issue', fact.issue_id]
      : fact.merge_request_id !== undefined
        ? ['MergeRequest', fact.merge_request_id]
        : [fact.noteable_type ?? fact.kind, fact.noteable_id ?? fact.id]
  if ((kind !== 'Issue' && kind !== 'MergeRequest') || id == null) return true
  return mayReadId(ctx, owner, { kind, id, wasSecret: fact.confidential === true })
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
    return found !== undefined && canRead(ctx, project, found) && mayHearOf(ctx, found, payload as Planned)
  }
  if (group_id !== undefined) {
    const found = group.load(ctx, String(group_id)) ?? (parent_id && group.load(ctx, String(parent_id)))
    return Boolean(found) && canRead(ctx, group, found as Group)
  }
  return false
}
