import type { Ctx } from '../../ctx.ts'
import { endpoint } from '../../http/endpoint.ts'
import { bool, choice, list } from '../../http/params.ts'
import type { Returns } from '../../http/returns.ts'
import { isoDate } from '../../lib/clock.ts'
import { namespaceTreeIds } from '../namespaces/index.ts'
import { listParams as projectListParams, projectPage, showProjects } from '../projects/index.ts'
import type { Group } from './group.ts'
import { cursorParam, groupPage, listParams, showGroups, subgroupPage } from './list-params.ts'
import { abilities } from './policy.ts'
import { group } from './scope.ts'

export const listGroups = endpoint('GET /groups', {
  summary: 'List groups that the caller can see',
  can: 'anyone',
  params: {
    ...listParams,
    ...cursorParam,
    top_level_only: bool().optional().describe('Only groups without a parent'),
  },
  pure: true,
  returns: groupPage,
  run: ({ params, paging, ...ctx }) =>
    showGroups(ctx, { ...params, ranges: true, all_available: params.all_available ?? true }, paging),
})

export const listSubgroups = endpoint('GET /groups/:id/subgroups', {
  summary: 'List the groups directly below a group',
  scope: group,
  can: abilities.read_group,
  params: listParams,
  pure: true,
  returns: subgroupPage,
  run: ({ group: owner, params, paging, ...ctx }) =>
    showGroups(
      ctx,
      { ...params, parent_id: owner.id, all_available: params.all_available ?? ctx.actor.is_admin },
      paging,
    ),
})

export const listDescendants = endpoint('GET /groups/:id/descendant_groups', {
  summary: 'List the groups below a group, at any depth',
  scope: group,
  can: abilities.read_group,
  params: listParams,
  pure: true,
  returns: subgroupPage,
  run: ({ group: owner, params, paging, ...ctx }) =>
    showGroups(
      ctx,
      { ...params, below: owner.id, all_available: params.all_available ?? ctx.actor.is_admin },
      paging,
    ),
})

const { owned: _owned, all_available: _all, statistics: _statistics, ...linkedParams } = listParams
const visibility = choice('public', 'internal', 'private')
  .optional()
  .describe('Only groups of this visibility')

export const listSharedGroups = endpoint('GET /groups/:id/groups/shared', {
  summary: 'List the groups that a group was invited into',
  scope: group,
  can: abilities.read_group,
  params: { ...linkedParams, visibility },
  pure: true,
  returns: subgroupPage,
  run: ({ group: owner, params, paging, ...ctx }) =>
    showGroups(ctx, { ...params, inviting: owner.id, all_available: true }, paging),
})

export const listInvitedGroups = endpoint('GET /groups/:id/invited_groups', {
  summary: 'List the groups that were invited into a group',
  scope: group,
  can: abilities.read_group,
  params: {
    ...linkedParams,
    relation: list(choice('direct', 'inherited'))
      .optional()
      .describe('Invited into the group itself, or into one above it'),
  },
  pure: true,
  returns: subgroupPage,
  run: ({ group: owner, params: { relation, ...params }, paging, ...ctx }) =>
    showGroups(ctx, { ...params, invited_into: placesOf(owner, relation), all_available: true }, paging),
})

/** The group and those above it, as far as asked for; without a word all of them. */
function placesOf(owner: Group, relation: readonly string[] | undefined): number[] {
  const lineage = JSON.parse(owner.lineage) as number[]
  if (!relation?.length) return lineage
  return lineage.filter((id) => relation.includes(id === owner.id ? 'direct' : 'inherited'))
}

const securityParam = {
  with_security_reports: bool()
    .optional()
    .describe('Only projects with security reports; none are made here'),
}

export const listGroupProjects = endpoint('GET /groups/:id/projects', {
  summary: 'List the projects of a group that the caller can see',
  scope: group,
  can: abilities.read_group,
  params: {
    ...projectListParams,
    ...securityParam,
    include_subgroups: bool().optional().describe('Also projects of the groups below'),
    with_shared: bool().optional().describe('Also projects shared with the group (default true)'),
  },
  pure: true,
  returns: projectPage,
  run: ({ group: owner, params, paging, ...ctx }) => {
    const { include_subgroups, with_shared = true, with_security_reports, ...filter } = params
    const namespace_ids = include_subgroups ? namespaceTreeIds(ctx.db, owner.id) : [owner.id]
    const shared_with = with_shared ? sharedWith(ctx, namespace_ids) : undefined
    const places = with_security_reports ? { namespace_ids: [] } : { namespace_ids, shared_with }
    return showProjects(ctx, { ...filter, ...places }, paging, false)
  },
})

function sharedWith(ctx: Pick<Ctx, 'now'>, groupIds: readonly number[]) {
  return { group_ids: groupIds, today: isoDate(ctx.now) }
}

const { owned: _ownedProjects, ...sharedProjectParams } = projectListParams

/** Pages of projects without the order by similarity. */
const sharedProjectPage: typeof projectPage = {
  ...(projectPage as Returns),
  list: {
    ...projectPage.list,
    order_by: ['created_at', 'id', 'name', 'path', 'updated_at', 'last_activity_at'],
  },
} as typeof projectPage

export const listSharedProjects = endpoint('GET /groups/:id/projects/shared', {
  summary: 'List the projects shared with a group that the caller can see',
  scope: group,
  can: abilities.read_group,
  params: { ...sharedProjectParams, ...securityParam },
  pure: true,
  returns: sharedProjectPage,
  run: ({ group: owner, params: { with_security_reports, ...filter }, paging, ...ctx }) => {
    const places = with_security_reports
      ? { namespace_ids: [] }
      : { shared_with: sharedWith(ctx, [owner.id]) }
    return showProjects(ctx, { ...filter, ...places }, paging, false)
  },
})
