import type { Ctx } from '../../ctx.ts'
import { findProjects, viewsOf, type ProjectView } from '../projects/index.ts'
import type { Group } from './group.ts'
import * as store from './store.ts'

/** A group as shown; `size` in bytes for administrators who asked for it. */
export interface GroupView {
  readonly group: Group
  readonly size: number | undefined
}

/** A single group; `projects` where the answer has them. */
export interface GroupDetailView extends GroupView {
  readonly projects: readonly ProjectView[] | undefined
}

/** The answer of a single group holds at most this many projects (spec core 2.1). */
const MAX_PROJECTS = 100

/** Groups of a list, with their sizes where asked for and allowed. */
export function groupViews(ctx: Ctx, groups: readonly Group[], statistics: boolean | undefined): GroupView[] {
  const sizes =
    statistics && ctx.actor.is_admin
      ? store.sizes(
          ctx.db,
          groups.map((group) => group.id),
        )
      : undefined
  return groups.map((group) => ({ group, size: sizes && (sizes.get(group.id) ?? 0) }))
}

/** A single group, with those of its own projects that the actor can see. */
export function groupDetail(ctx: Ctx, group: Group, withProjects: boolean): GroupDetailView {
  if (!withProjects) return { group, size: undefined, projects: undefined }
  const page = { order_by: 'created_at', sort: 'desc' as const, limit: MAX_PROJECTS, offset: 0, keyset: true }
  const { rows } = findProjects(ctx, { namespace_ids: [group.id] }, page)
  return { group, size: undefined, projects: viewsOf(ctx, rows) }
}
