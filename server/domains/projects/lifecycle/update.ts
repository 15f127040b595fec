import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { isBranchName } from '../../../git/names.ts'
import { hasBranches } from '../../../git/upkeep/repository.ts'
import { branchTip } from '../../../git/read/revisions.ts'
import { changesOf } from '../../../lib/column-changes.ts'
import { fail, invalid } from '../../../lib/fail.ts'
import { VISIBILITY_RANK, type Visibility } from '../../../policy/levels.ts'
import { endRedirect, storeRedirect, namespaceById, namespaceByPath } from '../../namespaces/index.ts'
import { StorageChosen } from '../../storage/events.ts'
import { checkAvatar, replaceAvatar, type AvatarFile } from '../../storage/index.ts'
import { userById } from '../../users/index.ts'
import { renderDescription } from '../service-description.ts'
import { ProjectRenamed, ProjectUpdated } from '../events.ts'
import { fullPath, type Project, type ProjectColumns } from '../types.ts'
import { pullChangesOf } from '../repository/import-source.ts'
import { repoOf, writeDefaultBranch } from '../repository/repository.ts'
import { checkFields, checkFree, checkRunners, checkStorage, checkVisibility } from '../validation.ts'
import * as store from '../store.ts'

/** Columns that events publish with their values: every reader of the project may read them. */
const PUBLISHED = [
  'name',
  'visibility',
  'default_branch',
  'merge_method',
  'request_access_enabled',
  'lfs_enabled',
  'shared_runners_enabled',
  'only_allow_merge_if_pipeline_succeeds',
  'only_allow_merge_if_all_discussions_are_resolved',
]

/** The columns to change; absent columns keep their values. */
export type ProjectChanges = Partial<ProjectColumns>

/** Changes settings, name, path, default branch or avatar. Throws 400 for invalid values. */
export async function updateProject(
  ctx: Ctx,
  project: Project,
  changes: ProjectChanges,
  avatar?: AvatarFile | null,
): Promise<Project> {
  checkFields(changes)
  const pull = await pullChangesOf(ctx, project, changes)
  if (avatar) await checkAvatar(avatar)
  const { default_branch = project.default_branch } = changes
  const changesHead = default_branch !== project.default_branch
  if (changesHead) await checkDefaultBranch(ctx, project, default_branch)
  const { description } = changes
  const rendered = description === undefined ? {} : { description_html: await renderDescription(description) }
  const updated = tx(ctx.db, () => {
    const changed = checkAndChange(ctx, reloadProject(ctx, project), {
      ...changes,
      ...rendered,
      ...pull.columns,
    })
    pull.store()
    return changed
  })
  if (changesHead) await writeDefaultBranch(ctx, project.id)
  return avatar === undefined ? updated : storeAvatar(ctx, updated, avatar)
}

/**
 * Loads the project again after texts, avatar and branches were checked: it may have moved or been deleted
 * in the meantime.
 */
function reloadProject(ctx: Ctx, { id }: Project): Project {
  const project = store.byId(ctx.db, id)
  if (!project) throw fail('not_found', '404 Project Not Found')
  return project
}

function checkAndChange(ctx: Ctx, project: Project, changes: ProjectChanges): Project {
  const { name = project.name, path = project.path, visibility } = changes
  const namespace = namespaceById(ctx.db, project.namespace_id)
  if (!namespace) throw fail('not_found', '404 Project Not Found')
  if (visibility !== undefined && visibility !== project.visibility) {
    checkVisibility(ctx, namespace, visibility as Visibility)
    checkSource(ctx, project, visibility as Visibility)
  }
  if (!project.shared_runners_enabled) checkRunners(namespace, changes)
  const groupTaken = namespaceByPath(ctx.db, `${project.namespace_full_path}/${path}`) !== undefined
  checkFree(ctx, namespace, { name, path, exceptId: project.id, groupTaken })
  const { repository_storage: requestedStorage, mirror_user_id, ...rest } = changes
  // The contract reports an unknown storage as an invalid storage move.
  const storage = checkStorage(ctx, requestedStorage, { repository_storage_moves: 'is invalid' })
  // A subscriber moves the repository; the stored location changes after that.
  if (storage !== undefined && storage !== project.repository_storage)
    publish(ctx, StorageChosen, { project_id: project.id, storage, actor_id: ctx.actor.id })
  return changeProject(ctx, project, {
    ...rest,
    ...mirrorUserChange(ctx, project, changes.mirror, mirror_user_id),
  })
}

/** A fork may not be more visible than its source. */
function checkSource(ctx: Ctx, project: Project, visibility: Visibility): void {
  const source = store.byId(ctx.db, project.forked_from_project_id ?? 0)
  if (!source || VISIBILITY_RANK[visibility] <= VISIBILITY_RANK[source.visibility]) return
  const sentence = `${visibility} is not allowed since the fork source project has lower visibility.`
  throw invalid({ visibility_level: sentence })
}

/**
 * Returns the change of the pull mirror's user: the caller who enables the mirror, or the user that an administrator
 * chose. Throws 400 for an unknown user.
 */
function mirrorUserChange(
  ctx: Ctx,
  project: Project,
  mirror: boolean | undefined,
  userId: number | null | undefined,
): ProjectChanges {
  if (ctx.actor.is_admin && userId) {
    if (!userById(ctx.db, userId)) throw fail('bad_request', 'Invalid mirror_user_id')
    return { mirror_user_id: userId }
  }
  return mirror === true && !project.mirror ? { mirror_user_id: ctx.actor.id } : {}
}

/**
 * Updates columns and publishes the change; a former path redirects to the new one. Runs in the caller's
 * transaction.
 */
export function changeProject(ctx: Ctx, project: Project, changes: ProjectChanges): Project {
  const updated = store.update(ctx.db, project.id, { ...changes, updated_at: ctx.now })
  const [before, after] = [fullPath(project), fullPath(updated)]
  const ids = { project_id: project.id, actor_id: ctx.actor.id }
  publish(ctx, ProjectUpdated, {
    ...ids,
    changed: Object.keys(changes).filter((name) => name !== 'description_html'),
    ...changesOf(PUBLISHED, project, updated),
    ...(before === after ? {} : { old_path: before }),
  })
  if (before === after) return updated
  endRedirect(ctx.db, after)
  // A path that differs only in case needs no redirect.
  if (before.toLowerCase() !== after.toLowerCase())
    storeRedirect(ctx.db, { full_path: before, project_id: project.id }, ctx.now)
  publish(ctx, ProjectRenamed, { ...ids, old_path_with_namespace: before, path_with_namespace: after })
  return updated
}

/** The default branch must exist, except in an empty repository. Throws 400 otherwise. */
async function checkDefaultBranch(ctx: Ctx, project: Project, branch: string): Promise<void> {
  const repo = repoOf(ctx, project)
  const exists =
    isBranchName(branch) && ((await branchTip(repo, branch)) !== null || !(await hasBranches(repo)))
  if (exists) return
  const sentence = `Could not set the default branch. Do you have a branch named '${branch}' in your repository?`
  throw invalid({ base: sentence })
}

/** Stores the avatar of a project, or removes it (null). Throws 400 `{avatar: […]}`. */
export async function storeAvatar(ctx: Ctx, project: Project, file: AvatarFile | null): Promise<Project> {
  return replaceAvatar(ctx, 'project', project.id, file, (avatar) =>
    tx(ctx.db, () => {
      publish(ctx, ProjectUpdated, { project_id: project.id, actor_id: ctx.actor.id, changed: ['avatar'] })
      return store.update(ctx.db, project.id, { avatar, updated_at: ctx.now })
    }),
  )
}
