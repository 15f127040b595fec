import type { Ctx } from '../../ctx.ts'
import { isoDate } from '../../lib/clock.ts'
import { customAttributesOf, type CustomAttributeRow } from '../users/index.ts'
import { registrationTokenOf } from '../namespaces/index.ts'
import { findProjects, viewsOf, type ProjectView } from '../projects/index.ts'
import { NO_SIZES, type Group, type GroupSizes, type InvitedGroupRow } from './types.ts'
import { manages } from './validation.ts'
import { invitedGroupsOf } from './store.ts'
import * as store from './store.ts'

/** Additional fields of groups. The first two are for administrators only. */
export interface ViewOptions {
  readonly statistics?: boolean | undefined
  readonly with_custom_attributes?: boolean | undefined
  /** The IP ranges that may access the group: in the list of all groups, and for a single top-level group. */
  readonly ranges?: boolean | undefined
}

/** A group with the additional data of its entity. */
export interface GroupView {
  readonly group: Group
  readonly sizes: GroupSizes | undefined
  readonly attributes: CustomAttributeRow[] | undefined
  readonly ranges: boolean
}

/** A single group, on request with its projects. */
export interface GroupDetailView extends GroupView {
  readonly invited: readonly InvitedGroupRow[]
  /** Whether the reader is an owner. */
  readonly manages: boolean
  /** The registration token for runners, for owners only. */
  readonly runnersToken: string | undefined
  readonly projects:
    | { readonly own: readonly ProjectView[]; readonly shared: readonly ProjectView[] }
    | undefined
}

/** The maximum numbers of own and of shared projects in a single group (spec core 2.1). */
const MAX_PROJECTS = 100

/** Returns the views of groups, with the requested fields that the actor may see. */
export function groupViews(ctx: Ctx, groups: readonly Group[], options: ViewOptions): GroupView[] {
  const ids = groups.map((group) => group.id)
  const { is_admin } = ctx.actor
  const sizes = options.statistics && is_admin ? store.sizes(ctx.db, ids) : undefined
  const attributes =
    options.with_custom_attributes && is_admin ? customAttributesOf(ctx.db, 'namespace', ids) : undefined
  return groups.map((group) => ({
    group,
    sizes: sizes && (sizes.get(group.id) ?? NO_SIZES),
    attributes: attributes && (attributes.get(group.id) ?? []),
    ranges: options.ranges ?? false,
  }))
}

/**
 * Returns the view of a single group. On request it has the group's own and shared projects that the actor may see.
 */
export function groupDetail(
  ctx: Ctx,
  group: Group,
  options: ViewOptions & { with_projects: boolean },
): GroupDetailView {
  const isManager = manages(ctx, group)
  const [view] = groupViews(ctx, [group], { ...options, ranges: group.parent_id === null })
  return {
    ...view!,
    invited: invitedGroupsOf(ctx.db, ctx, group.id),
    manages: isManager,
    runnersToken: isManager ? registrationTokenOf(ctx, group) : undefined,
    projects: options.with_projects ? projectsOf(ctx, group) : undefined,
  }
}

function projectsOf(ctx: Ctx, group: Group) {
  const page = { order_by: 'created_at', sort: 'desc' as const, limit: MAX_PROJECTS, offset: 0, keyset: true }
  const shared_with = { group_ids: [group.id], today: isoDate(ctx.now) }
  const ownProjects = findProjects(ctx, { namespace_ids: [group.id] }, page)
  const shared = findProjects(ctx, { shared_with }, page)
  return { own: viewsOf(ctx, ownProjects.rows), shared: viewsOf(ctx, shared.rows) }
}
