import type { Ctx } from '../../ctx.ts'
import { jsonList, tx } from '../../db/database.ts'
import { publish } from '../../events/facts.ts'
import { isBranchName } from '../../git/names.ts'
import { hasBranches, writeHead } from '../../git/repository.ts'
import { branchTip } from '../../git/revisions.ts'
import { fail, invalid } from '../../lib/fail.ts'
import type { Visibility } from '../../policy/levels.ts'
import { namespaceByPath } from '../namespaces/index.ts'
import { ProjectDeleted, ProjectStarred, ProjectUnstarred, ProjectUpdated } from './events.ts'
import { fullPath, type Project, type ProjectColumns } from './project.ts'
import { repoOf } from './repository.ts'
import { checkFields, checkFree, checkVisibility } from './rules.ts'
import * as stars from './stars.ts'
import * as store from './store.ts'

/** Columns to change; what is absent stays. */
export type ProjectChanges = Partial<ProjectColumns>

/** Changes settings, name, path or default branch. Throws 400 for values that cannot stand. */
export async function updateProject(ctx: Ctx, project: Project, changes: ProjectChanges): Promise<Project> {
  checkFields(changes)
  const { default_branch } = changes
  if (default_branch !== undefined && default_branch !== project.default_branch) {
    await moveHead(ctx, project, default_branch)
  }
  return tx(ctx.db, () => {
    const { name = project.name, path = project.path, visibility } = changes
    const namespace = {
      id: project.namespace_id,
      kind: project.namespace_kind,
      visibility: groupVisibility(ctx, project),
    }
    if (visibility !== undefined && visibility !== project.visibility)
      checkVisibility(ctx, namespace, visibility as Visibility)
    const groupTaken = namespaceByPath(ctx.db, `${project.namespace_full_path}/${path}`) !== undefined
    checkFree(ctx, namespace, { name, path, exceptId: project.id, groupTaken })
    return change(ctx, project, changes)
  })
}

function groupVisibility(ctx: Ctx, project: Project): string {
  return namespaceByPath(ctx.db, project.namespace_full_path)?.visibility ?? 'private'
}

function change(ctx: Ctx, project: Project, changes: ProjectChanges): Project {
  const updated = store.update(ctx.db, project.id, { ...changes, updated_at: ctx.now })
  const path = fullPath(project)
  publish(ctx, ProjectUpdated, {
    project_id: project.id,
    actor_id: ctx.actor.id,
    changed: Object.keys(changes),
    ...(fullPath(updated) === path ? {} : { old_path: path }),
  })
  return updated
}

/** The default branch is a branch; only an empty repository may have one that is yet to come. */
async function moveHead(ctx: Ctx, project: Project, branch: string): Promise<void> {
  const repo = repoOf(ctx, project)
  const isThere =
    isBranchName(branch) && ((await branchTip(repo, branch)) !== null || !(await hasBranches(repo)))
  if (!isThere) {
    const sentence = `Could not set the default branch. Do you have a branch named '${branch}' in your repository?`
    throw invalid({ base: sentence })
  }
  await writeHead(repo, branch)
}

/** Archives or opens a project again. Already so: nothing happens. */
export function setArchived(ctx: Ctx, project: Project, archived: boolean): Project {
  if (project.archived === Number(archived)) return project
  return tx(ctx.db, () => change(ctx, project, { archived: Number(archived) }))
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

/** Deletes a project at once; its repository goes in the background. */
export function deleteProject(ctx: Ctx, project: Project): void {
  tx(ctx.db, () => {
    store.remove(ctx.db, project.id)
    publishDeleted(ctx, project)
  })
}

/** Tells that everything in some namespaces goes, before they are deleted with it. Inside the caller's transaction. */
export function deleteProjectsIn(ctx: Ctx, namespaceIds: readonly number[]): void {
  const list = jsonList(namespaceIds)
  for (const project of store.inNamespaces(ctx.db, list)) {
    store.remove(ctx.db, project.id)
    publishDeleted(ctx, project)
  }
}

type Deleted = Pick<Project, 'id' | 'path' | 'namespace_full_path' | 'repository_storage' | 'disk_path'>

function publishDeleted(ctx: Ctx, project: Deleted): void {
  publish(ctx, ProjectDeleted, {
    project_id: project.id,
    actor_id: ctx.actor.id,
    path_with_namespace: fullPath(project),
    repository_storage: project.repository_storage,
    disk_path: project.disk_path,
  })
}

/** Visibilities of the projects in some namespaces: a group may not become narrower than they are. */
export function visibilitiesIn(ctx: Ctx, namespaceIds: readonly number[]): Visibility[] {
  return store.visibilitiesIn(ctx.db, jsonList(namespaceIds)) as Visibility[]
}
