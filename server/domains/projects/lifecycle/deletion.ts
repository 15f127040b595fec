import type { Ctx } from '../../../ctx.ts'
import { jsonList, tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { addDays, isoDate } from '../../../lib/clock.ts'
import { fail } from '../../../lib/fail.ts'
import { namespaceByPath } from '../../namespaces/index.ts'
import { settingsOf } from '../../settings/index.ts'
import { ProjectDeleted, ProjectDeletionMarked, ProjectInactivityWarned, ProjectRestored } from '../events.ts'
import { fullPath, type Project } from '../types.ts'
import * as store from '../store.ts'
import { changeProject } from './update.ts'

/** The parameters of a deletion. `permanently_remove` deletes a marked project at once; its full path confirms. */
export interface DeletionRequest {
  readonly permanently_remove?: boolean | undefined
  readonly full_path?: string | undefined
}

/**
 * Deletes a project at once, or, depending on the settings, archives and renames it and marks it for deletion after
 * some days. Throws 400 if it is already marked, or if `full_path` is incorrect.
 */
export function requestDeletion(ctx: Ctx, project: Project, request: DeletionRequest): void {
  if (request.permanently_remove) return deletePermanently(ctx, project, request.full_path)
  if (project.marked_for_deletion_at !== null)
    throw fail('bad_request', 'Project has been already marked for deletion')
  const { delayed_project_deletion, deletion_adjourned_period } = settingsOf(ctx)
  if (!delayed_project_deletion || deletion_adjourned_period === 0) return deleteProject(ctx, project)
  tx(ctx.db, () => markForDeletion(ctx, project))
}

function deletePermanently(ctx: Ctx, project: Project, confirmation: string | undefined): void {
  if (project.marked_for_deletion_at === null)
    throw fail('bad_request', 'Project must be marked for deletion first.')
  if (confirmation !== fullPath(project)) {
    throw fail('bad_request', '`full_path` is incorrect. You must enter the complete path for the project.')
  }
  deleteProject(ctx, project)
}

function markForDeletion(ctx: Ctx, project: Project): void {
  const suffix = `-deleted-${project.id}`
  changeProject(ctx, project, {
    path: project.path.slice(0, 255 - suffix.length) + suffix,
    name: project.name.slice(0, 255 - suffix.length) + suffix,
    path_before_deletion: project.path,
    archived_before_deletion: project.archived,
    archived: true,
    marked_for_deletion_at: isoDate(ctx.now),
    marked_for_deletion_by_id: ctx.actor.id,
  })
  publish(ctx, ProjectDeletionMarked, { project_id: project.id, actor_id: ctx.actor.id })
}

/** Restores a marked project. Throws 400 if it is not marked, or if another project took the path in the meantime. */
export function restoreProject(ctx: Ctx, project: Project): Project {
  if (project.marked_for_deletion_at === null)
    throw fail('bad_request', 'Project has not been marked for deletion')
  return tx(ctx.db, () => {
    const path = project.path_before_deletion ?? project.path
    const suffix = `-deleted-${project.id}`
    const name = project.name.endsWith(suffix) ? project.name.slice(0, -suffix.length) : project.name
    const conflicts = store.nameConflicts(ctx.db, project.namespace_id, { path, name, exceptId: project.id })
    const groupTaken = namespaceByPath(ctx.db, `${project.namespace_full_path}/${path}`) !== undefined
    if (conflicts.path || conflicts.name || groupTaken)
      throw fail('bad_request', 'The name or path of the project has been taken since it was deleted.')
    const restored = changeProject(ctx, project, {
      path,
      name,
      archived: project.archived_before_deletion,
      path_before_deletion: null,
      archived_before_deletion: false,
      marked_for_deletion_at: null,
      marked_for_deletion_by_id: null,
    })
    publish(ctx, ProjectRestored, { project_id: project.id, actor_id: ctx.actor.id })
    return restored
  })
}

/** Deletes marked projects after the delay in the settings. A cron runs it. */
export function deleteMarked(ctx: Ctx): void {
  const day = isoDate(addDays(ctx.now, -settingsOf(ctx).deletion_adjourned_period))
  for (const project of store.markedBefore(ctx.db, day)) deleteProject(ctx, project)
}

/** Deletes a project at once; a job deletes its repository. */
export function deleteProject(ctx: Ctx, project: Project): void {
  tx(ctx.db, () => {
    store.remove(ctx.db, project.id)
    publishDeleted(ctx, project)
  })
}

/** Deletes the projects of some namespaces and publishes each deletion. Inside the caller's transaction. */
export function deleteProjectsIn(ctx: Ctx, namespaceIds: readonly number[]): void {
  const list = jsonList(namespaceIds)
  for (const project of store.inNamespaces(ctx.db, list)) {
    store.remove(ctx.db, project.id)
    publishDeleted(ctx, project)
  }
}

function publishDeleted(ctx: Ctx, project: store.DeletedProject): void {
  const { id, path, namespace_full_path, ...details } = project
  const path_with_namespace = fullPath({ path, namespace_full_path })
  publish(ctx, ProjectDeleted, { project_id: id, actor_id: ctx.actor.id, path_with_namespace, ...details })
}

/** The maximum number of warnings, and of deletions, per day. */
const MAX_PER_DAY = 500
const MEGABYTE = 1024 * 1024

/**
 * Warns about projects that have been inactive for some months, and deletes those with an old enough warning (spec
 * administration 1.2, `delete_inactive_projects`). A cron runs it once a day.
 */
export function handleInactive(ctx: Ctx): void {
  const settings = settingsOf(ctx)
  if (!settings.delete_inactive_projects) return
  const warnAfter = settings.inactive_projects_send_warning_email_after_months
  const deleteAfter = settings.inactive_projects_delete_after_months
  const bytes = settings.inactive_projects_min_size_mb * MEGABYTE
  const due = { since: monthsBefore(ctx, deleteAfter), bytes, limit: MAX_PER_DAY }
  for (const id of store.inactiveWarned(ctx.db, due, monthsBefore(ctx, deleteAfter - warnAfter))) {
    const project = store.byId(ctx.db, id)
    if (project) requestDeletion(ctx, project, {})
  }
  const inactive = { since: monthsBefore(ctx, warnAfter), bytes, limit: MAX_PER_DAY }
  for (const id of store.inactiveUnwarned(ctx.db, inactive)) warn(ctx, id, deleteAfter - warnAfter)
}

function warn(ctx: Ctx, id: number, months: number): void {
  tx(ctx.db, () => {
    store.update(ctx.db, id, { inactivity_warned_on: isoDate(ctx.now) })
    const deletion_on = monthsBefore(ctx, -months)
    publish(ctx, ProjectInactivityWarned, { project_id: id, actor_id: null, deletion_on })
  })
}

const monthsBefore = (ctx: Ctx, months: number): string => store.monthsBefore(ctx.db, ctx.now, months)
