import type { Ctx } from '../../ctx.ts'
import { jsonList, tx } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import { fail } from '../../lib/fail.ts'
import { VISIBILITY_RANK, type Visibility } from '../../policy/levels.ts'
import {
  ProjectArchived,
  ProjectStarred,
  ProjectUnarchived,
  ProjectUnstarred,
  ProjectUpdated,
} from './events.ts'
import type { Project } from './types.ts'
import { setStarred } from './people/store.ts'
import * as store from './store.ts'
import { changeProject } from './lifecycle/update.ts'

/**
 * Archives or unarchives a project, unless it is in that state already. Throws 400 for a project that is marked for
 * deletion.
 */
export function setArchived(ctx: Ctx, project: Project, archived: boolean): Project {
  if (project.archived === archived) return project
  if (project.marked_for_deletion_at !== null)
    throw fail('bad_request', 'The project is marked for deletion; restore it first.')
  return tx(ctx.db, () => {
    const updatedProject = changeProject(ctx, project, { archived })
    const event = { project_id: project.id, actor_id: ctx.actor.id }
    publish(ctx, archived ? ProjectArchived : ProjectUnarchived, event)
    return updatedProject
  })
}

/** Adds or removes the actor's star. Throws 304 if nothing changes. */
export function setStar(ctx: Ctx, project: Project, starred: boolean): Project {
  return tx(ctx.db, () => {
    const isChanged = setStarred(ctx.db, {
      project_id: project.id,
      user_id: ctx.actor.id!,
      starred,
      now: ctx.now,
    })
    if (!isChanged) throw fail('not_modified')
    publish(ctx, starred ? ProjectStarred : ProjectUnstarred, {
      project_id: project.id,
      actor_id: ctx.actor.id,
    })
    return store.byId(ctx.db, project.id)!
  })
}

/**
 * Returns the visibilities of the projects in some namespaces. A group may not become less visible than its projects.
 */
export function visibilitiesIn(ctx: Ctx, namespaceIds: readonly number[]): Visibility[] {
  return store.visibilitiesIn(ctx.db, jsonList(namespaceIds)) as Visibility[]
}

/** Enables or disables shared runners for every project in some groups, in the caller's transaction. */
export function setSharedRunnersIn(ctx: Ctx, namespaceIds: readonly number[], enabled: boolean): void {
  const projectIds = store.setSharedRunners(ctx.db, namespaceIds, { enabled, now: ctx.now })
  publishUpdated(ctx, projectIds, 'shared_runners_enabled')
}

/** Lowers the visibility of the projects in some groups to at most the given one, in the caller's transaction. */
export function lowerVisibilityIn(ctx: Ctx, namespaceIds: readonly number[], widest: Visibility): void {
  const wider = Object.entries(VISIBILITY_RANK)
    .filter(([, rank]) => rank > VISIBILITY_RANK[widest])
    .map(([name]) => name)
  const projectIds = store.narrowVisibility(ctx.db, namespaceIds, { from: wider, to: widest, now: ctx.now })
  publishUpdated(ctx, projectIds, 'visibility')
}

function publishUpdated(ctx: Ctx, projectIds: readonly number[], column: string): void {
  for (const project_id of projectIds)
    publish(ctx, ProjectUpdated, { project_id, actor_id: ctx.actor.id, changed: [column] })
}
