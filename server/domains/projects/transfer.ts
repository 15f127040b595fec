import { sql } from 'kysely'

import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { boundedCount, likePattern, selectAll } from '../../db/lists.ts'
import { publish } from '../../events/publish.ts'
import { fail, notFound, type Failure } from '../../lib/fail.ts'
import { MAINTAINER, OWNER, VISIBILITY_RANK, type Visibility } from '../../policy/levels.ts'
import { groupsOfMember, insertMember, projectPlace, roleOnNamespace } from '../members/index.ts'
import {
  endRedirect,
  findNamespace,
  isOpenTo,
  leaveRedirect,
  namespaceByPath,
  type NamespaceRow,
} from '../namespaces/index.ts'
import { ProjectTransferred } from './events.ts'
import { fullPath, type Project } from './project.ts'
import { mayCreateIn } from './rules.ts'
import * as store from './store.ts'

/** The contract prints a hash into a sentence here (spec core 1.3). */
function failed(sentence: string): Failure {
  return fail('bad_request', `Failed to transfer project {:new_namespace=>[${JSON.stringify(sentence)}]}`)
}

/** A namespace by id or full path that the actor may know of. Throws `404 Namespace Not Found`. */
export function namespaceNamed(ctx: Ctx, reference: string): NamespaceRow {
  const found = findNamespace(ctx, reference)
  const isSeen =
    found && (ctx.actor.is_admin || isOpenTo(ctx.actor, found) || roleOnNamespace(ctx, found) > 0)
  if (!found || !isSeen) throw notFound('Namespace')
  return found
}

/**
 * Moves a project to another namespace. Its repository stays where it is on the disk, and the old address goes on
 * leading to it. In a narrower group it becomes as narrow. Throws 404 for a namespace that is not seen, 400 for one
 * that cannot take it.
 */
export function transferProject(ctx: Ctx, project: Project, reference: string): Project {
  return tx(ctx.db, () => {
    const target = namespaceNamed(ctx, reference)
    checkTarget(ctx, project, target)
    const before = fullPath(project)
    const moved = store.update(ctx.db, project.id, {
      namespace_id: target.id,
      visibility: visibilityIn(target, project.visibility as Visibility),
      updated_at: ctx.now,
    })
    endRedirect(ctx.db, fullPath(moved))
    leaveRedirect(ctx.db, { full_path: before, project_id: project.id }, ctx.now)
    ownIt(ctx, moved)
    publish(ctx, ProjectTransferred, {
      project_id: project.id,
      actor_id: ctx.actor.id,
      old_path_with_namespace: before,
      path_with_namespace: fullPath(moved),
      old_namespace_id: project.namespace_id,
      namespace_id: target.id,
    })
    return moved
  })
}

function checkTarget(ctx: Ctx, project: Project, target: NamespaceRow): void {
  if (target.id === project.namespace_id) throw failed('Project is already in this namespace.')
  if (!mayCreateIn(ctx, target))
    throw failed("You don't have permission to transfer projects into that namespace.")
  const taken = store.taken(ctx.db, target.id, { path: project.path, name: project.name })
  const groupTaken = namespaceByPath(ctx.db, `${target.full_path}/${project.path}`) !== undefined
  if (taken.path || taken.name || groupTaken)
    throw failed('Project with same name or path in target namespace already exists')
}

function visibilityIn(target: NamespaceRow, visibility: Visibility): Visibility {
  if (target.kind === 'user') return visibility
  const widest = target.visibility as Visibility
  return VISIBILITY_RANK[visibility] > VISIBILITY_RANK[widest] ? widest : visibility
}

/** The owner of a personal namespace owns what is in it, and stands among its members. */
function ownIt(ctx: Ctx, project: Project): void {
  if (project.owner_id === null) return
  const member = ctx.db.one<{ id: number }>(
    'SELECT id FROM members WHERE project_id = ? AND user_id = ?',
    project.id,
    project.owner_id,
  )
  if (!member) insertMember(ctx, projectPlace(project), project.owner_id, { access_level: OWNER })
}

/** Groups that the actor may move a project to, by name. */
export function transferLocations(
  ctx: Ctx,
  project: Project,
  search: string | undefined,
  window: { limit: number; offset: number },
): { rows: NamespaceRow[]; total: number } {
  const like = likePattern(search ?? '')
  const matches = search
    ? sql`AND (n.name LIKE ${like} ESCAPE '\\' OR n.full_path LIKE ${like} ESCAPE '\\')`
    : sql``
  const mine = ctx.actor.is_admin ? sql`1` : groupsOfMember(ctx, MAINTAINER)
  const from = sql`FROM namespaces n WHERE n.kind = 'group' AND n.id <> ${project.namespace_id}
    AND n.project_creation_level <> 'noone' AND ${mine} ${matches}`
  const page = sql<NamespaceRow>`SELECT n.* ${from} ORDER BY n.full_path LIMIT ${window.limit} OFFSET ${window.offset}`
  return { rows: selectAll(ctx.db, page), total: boundedCount(ctx.db, sql`SELECT 1 ${from}`) }
}
