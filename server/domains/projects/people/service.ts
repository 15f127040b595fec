import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { isoDate } from '../../../lib/clock.ts'
import { fail, invalid, notFound } from '../../../lib/fail.ts'
import { canRead, hasAbility } from '../../../policy/ability.ts'
import { isLocked, insertMember, roleOnNamespace, roleOnProject, projectSource } from '../../members/index.ts'
import { isOpenTo, namespaceById, type NamespaceRow } from '../../namespaces/index.ts'
import { ProjectShared, ProjectUnshared } from '../events.ts'
import { byId } from '../store.ts'
import * as store from './store.ts'
import { directMembers, type ProjectShareRow } from './store.ts'
import { project as scope } from '../service-scope.ts'
import { abilities } from '../policy.ts'
import type { Project } from '../types.ts'

/** A group to share with, and the highest access level of its members. */
export interface ShareRequest {
  readonly group_id: number
  readonly group_access: number
  readonly expires_at?: string | null | undefined
}

const idsOf = (lineage: string): number[] => JSON.parse(lineage) as number[]

/**
 * Shares a project with a group. Throws 400 if a parent group forbids it, 403 for a level above the actor's own, 404
 * for a group that the actor may not see, 409 if the share exists.
 */
export function shareProject(ctx: Ctx, project: Project, input: ShareRequest): ProjectShareRow {
  return tx(ctx.db, () => {
    const group = visibleGroup(ctx, input.group_id)
    const lineage = idsOf(project.lineage).flatMap((id) => namespaceById(ctx.db, id) ?? [])
    checkAllowed(lineage, group)
    if (!ctx.actor.is_admin && input.group_access > roleOnProject(ctx, project)) throw fail('forbidden')
    const expires_at = input.expires_at ?? null
    if (expires_at !== null && expires_at <= isoDate(ctx.now))
      throw invalid({ expires_at: 'cannot be a date in the past' })
    if (store.shareWith(ctx.db, project.id, group.id))
      throw fail('conflict', 'Project already shared with this group')
    const share = store.insertShare(ctx.db, {
      project_id: project.id,
      group_id: group.id,
      access_level: input.group_access,
      expires_at,
      created_at: ctx.now,
    })
    publish(ctx, ProjectShared, { ...eventOf(ctx, share), expires_at })
    return share
  })
}

function visibleGroup(ctx: Ctx, id: number): NamespaceRow {
  const group = namespaceById(ctx.db, id)
  const isVisible =
    group?.kind === 'group' &&
    (ctx.actor.is_admin || isOpenTo(ctx.actor, group) || roleOnNamespace(ctx, group) > 0)
  if (!group || !isVisible) throw notFound()
  return group
}

function checkAllowed(lineage: readonly NamespaceRow[], group: NamespaceRow): void {
  if (lineage.some((ancestor) => ancestor.share_with_group_lock))
    throw fail('bad_request', 'The project sharing with group is disabled')
  if (lineage.some((ancestor) => ancestor.id === group.id)) {
    const sentence = 'Project cannot be shared with the group it is in or one of its ancestors.'
    throw fail('conflict', sentence)
  }
  const [top] = lineage
  if (top?.prevent_sharing_groups_outside_hierarchy === true && idsOf(group.lineage)[0] !== top.id)
    throw notFound()
}

function eventOf(ctx: Ctx, share: ProjectShareRow) {
  const { project_id, group_id, access_level } = share
  return { project_id, group_id, access_level, actor_id: ctx.actor.id }
}

/** Removes the share with a group. Throws `404 Group Link Not Found`. */
export function unshareProject(ctx: Ctx, project: Project, groupId: number): void {
  tx(ctx.db, () => {
    const share = store.shareWith(ctx.db, project.id, groupId)
    if (!share) throw notFound('Group Link')
    endShare(ctx, share)
  })
}

function endShare(ctx: Ctx, share: ProjectShareRow): void {
  store.removeShare(ctx.db, share.id)
  publish(ctx, ProjectUnshared, eventOf(ctx, share))
}

/** Removes shares that expire today; run by cron. */
export function removeExpiredShares(ctx: Ctx): void {
  tx(ctx.db, () => {
    for (const share of store.expiredShares(ctx.db, isoDate(ctx.now))) endShare(ctx, share)
  })
}

/**
 * Makes the direct members of another project members of this one, at no more than the actor's own level; existing
 * members stay unchanged. Throws 404 for a project that the actor may not see, 403 if the actor may not manage its
 * members, 422 for the project itself, and if a parent group locks its members.
 */
export function importMembers(ctx: Ctx, project: Project, sourceId: number): void {
  const source = byId(ctx.db, sourceId)
  if (!source || !canRead(ctx, scope, source)) throw notFound('Project')
  if (!hasAbility(ctx, scope, abilities.manage_project_members, source)) throw fail('forbidden')
  const owner = projectSource(project)
  if (source.id === project.id || isLocked(ctx.db, owner)) throw fail('unprocessable', 'Import failed')
  const today = isoDate(ctx.now)
  tx(ctx.db, () => {
    const existing = new Set(directMembers(ctx.db, project.id, today).map((member) => member.user_id))
    const ownLevel = ctx.actor.is_admin ? Infinity : roleOnProject(ctx, project)
    for (const member of directMembers(ctx.db, source.id, today)) {
      if (existing.has(member.user_id)) continue
      insertMember(ctx, owner, member.user_id, {
        access_level: Math.min(member.access_level, ownLevel),
        expires_at: member.expires_at,
      })
    }
  })
}
