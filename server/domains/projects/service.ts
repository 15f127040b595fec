import type { Ctx } from '../../ctx.ts'
import { jsonList, tx } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import { fail } from '../../lib/fail.ts'
import type { Visibility } from '../../policy/levels.ts'
import { ProjectArchived, ProjectStarred, ProjectUnarchived, ProjectUnstarred } from './events.ts'
import type { Project } from './project.ts'
import * as stars from './stars.ts'
import * as store from './store.ts'
import { changeProject } from './update.ts'

/** Archives or opens a project again. Already so: nothing happens. Throws 400 to open one that waits for its deletion. */
export function setArchived(ctx: Ctx, project: Project, archived: boolean): Project {
  if (project.archived === archived) return project
  if (project.marked_for_deletion_at !== null)
    throw fail('bad_request', 'The project waits for its deletion; restore it first.')
  return tx(ctx.db, () => {
    const changed = changeProject(ctx, project, { archived: archived })
    const event = { project_id: project.id, actor_id: ctx.actor.id }
    publish(ctx, archived ? ProjectArchived : ProjectUnarchived, event)
    return changed
  })
}

/** Gives or takes the actor's star. Throws 304 when it is so already. */
export function setStar(ctx: Ctx, project: Project, starred: boolean): Project {
  return tx(ctx.db, () => {
    const changed = stars.set(ctx.db, {
      project_id: project.id,
      user_id: ctx.actor.id!,
      starred,
      now: ctx.now,
    })
    if (!changed) throw fail('not_modified')
    publish(ctx, starred ? ProjectStarred : ProjectUnstarred, {
      project_id: project.id,
      actor_id: ctx.actor.id,
    })
    return store.byId(ctx.db, project.id)!
  })
}

/** Visibilities of the projects in some namespaces: a group may not become narrower than they are. */
export function visibilitiesIn(ctx: Ctx, namespaceIds: readonly number[]): Visibility[] {
  return store.visibilitiesIn(ctx.db, jsonList(namespaceIds)) as Visibility[]
}
