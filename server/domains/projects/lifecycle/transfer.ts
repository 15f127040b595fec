import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { fail, notFound, type Failure } from '../../../lib/fail.ts'
import { OWNER, VISIBILITY_RANK, type Visibility } from '../../../policy/levels.ts'
import { insertMember, projectSource, roleOnNamespace } from '../../members/index.ts'
import {
  endRedirect,
  findNamespace,
  isOpenTo,
  storeRedirect,
  namespaceByPath,
  type NamespaceRow,
} from '../../namespaces/index.ts'
import { ProjectTransferred } from '../events.ts'
import { fullPath, type Project } from '../types.ts'
import { mayCreateIn } from '../policy.ts'
import * as store from '../store.ts'
import { isDirectMember } from '../people/store.ts'

/** Returns the error of a refused transfer. The contract formats its message as a Ruby hash (spec core 1.3). */
function transferFailure(sentence: string): Failure {
  return fail('bad_request', `Failed to transfer project {:new_namespace=>[${JSON.stringify(sentence)}]}`)
}

/** Returns a namespace by id or full path if the actor may see it. Throws `404 Namespace Not Found`. */
export function findTargetNamespace(ctx: Ctx, reference: string): NamespaceRow {
  const namespace = findNamespace(ctx, reference)
  const isVisible =
    namespace && (ctx.actor.is_admin || isOpenTo(ctx.actor, namespace) || roleOnNamespace(ctx, namespace) > 0)
  if (!namespace || !isVisible) throw notFound('Namespace')
  return namespace
}

/**
 * Moves a project to another namespace. Its repository stays in its folder, and the old path redirects to the new
 * one. The visibility is lowered to that of the group. Throws 404 for a namespace that the actor may not see, 400 for
 * one that cannot hold the project.
 */
export function transferProject(ctx: Ctx, project: Project, reference: string): Project {
  return tx(ctx.db, () => {
    const target = findTargetNamespace(ctx, reference)
    checkTarget(ctx, project, target)
    const oldPath = fullPath(project)
    const transferred = store.update(ctx.db, project.id, {
      namespace_id: target.id,
      visibility: visibilityIn(target, project.visibility),
      updated_at: ctx.now,
    })
    endRedirect(ctx.db, fullPath(transferred))
    storeRedirect(ctx.db, { full_path: oldPath, project_id: project.id }, ctx.now)
    addOwnerAsMember(ctx, transferred)
    publish(ctx, ProjectTransferred, {
      project_id: project.id,
      actor_id: ctx.actor.id,
      old_path_with_namespace: oldPath,
      path_with_namespace: fullPath(transferred),
      old_namespace_id: project.namespace_id,
      namespace_id: target.id,
    })
    return transferred
  })
}

function checkTarget(ctx: Ctx, project: Project, target: NamespaceRow): void {
  if (target.id === project.namespace_id) throw transferFailure('Project is already in this namespace.')
  if (!mayCreateIn(ctx, target))
    throw transferFailure("You don't have permission to transfer projects into that namespace.")
  const conflicts = store.nameConflicts(ctx.db, target.id, { path: project.path, name: project.name })
  const groupTaken = namespaceByPath(ctx.db, `${target.full_path}/${project.path}`) !== undefined
  if (conflicts.path || conflicts.name || groupTaken)
    throw transferFailure('Project with same name or path in target namespace already exists')
}

function visibilityIn(target: NamespaceRow, visibility: Visibility): Visibility {
  if (target.kind === 'user') return visibility
  const widest = target.visibility
  return VISIBILITY_RANK[visibility] > VISIBILITY_RANK[widest] ? widest : visibility
}

/** The owner of a personal namespace owns its projects, and is also listed as a member. */
function addOwnerAsMember(ctx: Ctx, project: Project): void {
  if (project.owner_id === null) return
  if (isDirectMember(ctx.db, project.id, project.owner_id)) return
  insertMember(ctx, projectSource(project), project.owner_id, { access_level: OWNER })
}
