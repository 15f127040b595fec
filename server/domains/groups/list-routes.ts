import type { Ctx } from '../../ctx.ts'
import { endpoint } from '../../http/endpoint.ts'
import { bool, choice, int, list, text } from '../../http/params.ts'
import { page, type Paging, type Returns, type Rows } from '../../http/returns.ts'
import { isoDate } from '../../lib/clock.ts'
import { namespaceTreeIds } from '../namespaces/index.ts'
import { listParams as projectListParams, projectPage, showProjects } from '../projects/index.ts'
import type { Group as GroupRow } from './types.ts'
import { abilities, group } from './policy.ts'
import { MAX_OFFSET, noKeysetPaging } from '../../http/paging.ts'
import { Failure } from '../../lib/fail.ts'
import { attributeParams } from '../users/index.ts'
import { Group } from './entity.ts'
import { type ViewOptions, type GroupView, groupViews } from './service-views.ts'
import { type GroupListRequest, findGroups } from './store-list.ts'

/** Filters of every group list (spec rest-api, Groups). */
export const listParams = {
  search: text({ max: 255 }).optional().describe('Search in name and path'),
  owned: bool().optional().describe('Limit to groups that the current user owns'),
  min_access_level: int({ min: 0, max: 50 })
    .optional()
    .describe('Limit to groups with at least this access level of the current user'),
  all_available: bool().optional().describe('Include all groups that the current user can access'),
  skip_groups: list(int()).optional().describe('Exclude groups with these IDs'),
  statistics: bool().optional().describe('Include group statistics. Administrators only'),
  ...attributeParams,
}

const orders = ['name', 'path', 'id'] as const

/** A page of groups of the whole instance. */
export const groupPage = page(Group, { order_by: [...orders, 'similarity'], sort: 'asc', keyset: ['name'] })

/** A page of groups below a group. */
export const subgroupPage = page(Group, { order_by: orders, sort: 'asc' })

export const cursorParam = {
  cursor: text({ max: 2000 }).optional().describe('Cursor of the next page, from the `Link` header'),
}

/** Returns a page of groups. Throws 405 for a page that the contract does not offer. */
export function showGroups(
  ctx: Ctx,
  request: GroupListRequest & ViewOptions & { cursor?: string | undefined },
  paging: Paging,
): Rows<GroupView> {
  const { cursor, statistics, with_custom_attributes, ranges, ...rest } = request
  if (ctx.actor.kind === 'anonymous' && !paging.keyset) checkOffset(paging)
  if (paging.keyset) checkKeysetPage(ctx, paging)
  const after = paging.keyset && cursor ? readCursor(cursor) : undefined
  const result = findGroups(ctx, { ...rest, after }, paging)
  const hasMore = paging.keyset && result.rows.length > paging.per_page
  const rows = hasMore ? result.rows.slice(0, paging.per_page) : result.rows
  const last = rows.at(-1)
  const next = hasMore && last ? { cursor: makeCursor(last) } : undefined
  return {
    rows: groupViews(ctx, rows, { statistics, with_custom_attributes, ranges }),
    total: result.total,
    next,
  }
}

/** Throws 405 unless the caller is anonymous and the order is ascending, as the contract has it (spec core 8.6). */
function checkKeysetPage(ctx: Ctx, paging: Paging): void {
  if (ctx.actor.kind === 'anonymous' && paging.sort === 'asc') return
  throw noKeysetPaging()
}

function checkOffset(paging: Paging): void {
  if (paging.page * paging.per_page <= MAX_OFFSET) return
  const error = `Offset pagination has a maximum allowed offset of ${MAX_OFFSET} for requests that return objects of type Group. Remaining records can be retrieved using keyset pagination.`
  throw new Failure('not_allowed', undefined, { body: { error } })
}

function makeCursor(row: { id: number; name: string }): string {
  return Buffer.from(JSON.stringify({ name: row.name, id: String(row.id), _kd: 'n' })).toString('base64url')
}

function readCursor(cursor: string): { name: string; id: number } {
  try {
    const { name, id } = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as {
      name: unknown
      id: unknown
    }
    if (typeof name === 'string' && typeof id === 'string' && /^\d{1,15}$/.test(id))
      return { name, id: Number(id) }
  } catch {
    // The text is not JSON, so it is no cursor. The error follows.
  }
  throw new Failure('parameter', 'cursor is invalid')
}

export const listGroups = endpoint('GET /groups', {
  summary: 'List groups',
  can: 'anyone',
  params: {
    ...listParams,
    ...cursorParam,
    top_level_only: bool().optional().describe('Limit to top-level groups'),
  },
  pure: true,
  returns: groupPage,
  run: ({ params, paging, ...ctx }) =>
    showGroups(ctx, { ...params, ranges: true, all_available: params.all_available ?? true }, paging),
})

export const listSubgroups = endpoint('GET /groups/:id/subgroups', {
  summary: 'List the subgroups of a group',
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
  summary: 'List the descendant groups of a group',
  scope: group,
  can: abilities.read_group,
  params: listParams,
  pure: true,
  returns: subgroupPage,
  run: ({ group: owner, params, paging, ...ctx }) =>
    showGroups(
      ctx,
      { ...params, ancestor_id: owner.id, all_available: params.all_available ?? ctx.actor.is_admin },
      paging,
    ),
})

const { owned: _owned, all_available: _all, statistics: _statistics, ...linkedParams } = listParams
const visibility = choice('public', 'internal', 'private').optional().describe('Limit by visibility')

export const listSharedGroups = endpoint('GET /groups/:id/groups/shared', {
  summary: 'List the groups to which a group is invited',
  scope: group,
  can: abilities.read_group,
  params: { ...linkedParams, visibility },
  pure: true,
  returns: subgroupPage,
  run: ({ group: owner, params, paging, ...ctx }) =>
    showGroups(ctx, { ...params, with_invited_group: owner.id, all_available: true }, paging),
})

export const listInvitedGroups = endpoint('GET /groups/:id/invited_groups', {
  summary: 'List the groups invited to a group',
  scope: group,
  can: abilities.read_group,
  params: {
    ...linkedParams,
    relation: list(choice('direct', 'inherited'))
      .optional()
      .describe(
        'Limit by relation: groups invited to the group itself (`direct`) or to an ancestor (`inherited`)',
      ),
  },
  pure: true,
  returns: subgroupPage,
  run: ({ group: owner, params: { relation, ...params }, paging, ...ctx }) =>
    showGroups(
      ctx,
      { ...params, invited_into: groupIdsByRelation(owner, relation), all_available: true },
      paging,
    ),
})

/** Returns the group and its ancestors, limited by `relation`. */
function groupIdsByRelation(owner: GroupRow, relation: readonly string[] | undefined): number[] {
  const lineage = JSON.parse(owner.lineage) as number[]
  if (!relation?.length) return lineage
  return lineage.filter((id) => relation.includes(id === owner.id ? 'direct' : 'inherited'))
}

const securityParam = {
  with_security_reports: bool()
    .optional()
    .describe('Limit to projects with security reports. No project has any'),
}

export const listGroupProjects = endpoint('GET /groups/:id/projects', {
  summary: 'List the projects of a group',
  scope: group,
  can: abilities.read_group,
  params: {
    ...projectListParams,
    ...securityParam,
    include_subgroups: bool().optional().describe('Include projects in subgroups'),
    with_shared: bool().optional().describe('Include projects shared with the group. Defaults to `true`'),
  },
  pure: true,
  returns: projectPage,
  run: ({ group: owner, params, paging, ...ctx }) => {
    const { include_subgroups, with_shared = true, with_security_reports, ...filter } = params
    const namespace_ids = include_subgroups ? namespaceTreeIds(ctx.db, owner.id) : [owner.id]
    const shared_with = with_shared ? sharedWith(ctx, namespace_ids) : undefined
    const owners = with_security_reports ? { namespace_ids: [] } : { namespace_ids, shared_with }
    return showProjects(ctx, { ...filter, ...owners }, paging, false)
  },
})

function sharedWith(ctx: Pick<Ctx, 'now'>, groupIds: readonly number[]) {
  return { group_ids: groupIds, today: isoDate(ctx.now) }
}

const { owned: _ownedProjects, ...sharedProjectParams } = projectListParams

/** A page of projects without the orders by similarity and by size. */
const sharedProjectPage: typeof projectPage = {
  ...(projectPage as Returns),
  list: {
    ...projectPage.list,
    order_by: ['created_at', 'id', 'name', 'path', 'updated_at', 'last_activity_at'],
  },
} as typeof projectPage

export const listSharedProjects = endpoint('GET /groups/:id/projects/shared', {
  summary: 'List the projects shared with a group',
  scope: group,
  can: abilities.read_group,
  params: { ...sharedProjectParams, ...securityParam },
  pure: true,
  returns: sharedProjectPage,
  run: ({ group: owner, params: { with_security_reports, ...filter }, paging, ...ctx }) => {
    const owners = with_security_reports
      ? { namespace_ids: [] }
      : { shared_with: sharedWith(ctx, [owner.id]) }
    return showProjects(ctx, { ...filter, ...owners }, paging, false)
  },
})
