import type { Ctx } from '../../ctx.ts'
import { endpoint } from '../../http/endpoint.ts'
import { bool, choice, int, list, text } from '../../http/params.ts'
import { page, type Paging, type Returns, type Rows } from '../../http/returns.ts'
import { isoDate } from '../../lib/clock.ts'
import { namespaceTreeIds } from '../namespaces/index.ts'
import { listParams as projectListParams, projectPage, showProjects } from '../projects/index.ts'
import type { Group as GroupRow } from './types.ts'
import { abilities, group } from './policy.ts'
import { MAX_OFFSET } from '../../http/paging.ts'
import { Failure } from '../../lib/fail.ts'
import { attributeParams } from '../users/index.ts'
import { Group } from './entity.ts'
import { type ViewOptions, type GroupView, groupViews } from './service-views.ts'
import { type GroupListRequest, findGroups } from './store-list.ts'

/** Filters of every group list (spec rest-api, Groups). */
export const listParams = {
  search: text({ max: 255 }).optional().describe('Part of the name or path'),
  owned: bool().optional().describe('Only groups the caller owns'),
  min_access_level: int({ min: 0, max: 50 })
    .optional()
    .describe('Only groups where the caller has at least this access level'),
  all_available: bool().optional().describe('Also groups that the caller can see without being a member'),
  skip_groups: list(int()).optional().describe('Ids of groups to leave out'),
  statistics: bool().optional().describe('Add the sizes (administrators)'),
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

/** Finds a page of groups. */
export function showGroups(
  ctx: Ctx,
  request: GroupListRequest & ViewOptions & { cursor?: string | undefined },
  paging: Paging,
): Rows<GroupView> {
  const { cursor, statistics, with_custom_attributes, ranges, ...rest } = request
  if (ctx.actor.kind === 'anonymous' && !paging.keyset) refuseDeepOffset(paging)
  if (paging.keyset) refuseUnlessOffered(ctx, paging)
  const after = paging.keyset && cursor ? readCursor(cursor) : undefined
  const result = findGroups(ctx, { ...rest, after }, paging)
  const more = paging.keyset && result.rows.length > paging.per_page
  const rows = more ? result.rows.slice(0, paging.per_page) : result.rows
  const last = rows.at(-1)
  const next = more && last ? { cursor: makeCursor(last) } : undefined
  return {
    rows: groupViews(ctx, rows, { statistics, with_custom_attributes, ranges }),
    total: result.total,
    next,
  }
}

/** Only anonymous callers get keyset pages of groups, by name in ascending order (spec core 8.6). */
function refuseUnlessOffered(ctx: Ctx, paging: Paging): void {
  if (ctx.actor.kind === 'anonymous' && paging.sort === 'asc') return
  throw new Failure('not_allowed', undefined, {
    body: { error: 'Keyset pagination is not yet available for this type of request' },
  })
}

function refuseDeepOffset(paging: Paging): void {
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
    // The cursor is invalid. The error below reports it.
  }
  throw new Failure('parameter', 'cursor is invalid')
}

export const listGroups = endpoint('GET /groups', {
  summary: 'List groups',
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
      { ...params, below: owner.id, all_available: params.all_available ?? ctx.actor.is_admin },
      paging,
    ),
})

const { owned: _owned, all_available: _all, statistics: _statistics, ...linkedParams } = listParams
const visibility = choice('public', 'internal', 'private')
  .optional()
  .describe('Only groups of this visibility')

export const listSharedGroups = endpoint('GET /groups/:id/groups/shared', {
  summary: 'List the groups that a group is invited to',
  scope: group,
  can: abilities.read_group,
  params: { ...linkedParams, visibility },
  pure: true,
  returns: subgroupPage,
  run: ({ group: owner, params, paging, ...ctx }) =>
    showGroups(ctx, { ...params, inviting: owner.id, all_available: true }, paging),
})

export const listInvitedGroups = endpoint('GET /groups/:id/invited_groups', {
  summary: 'List the groups that are invited to a group',
  scope: group,
  can: abilities.read_group,
  params: {
    ...linkedParams,
    relation: list(choice('direct', 'inherited'))
      .optional()
      .describe('Invited to the group itself, or to an ancestor'),
  },
  pure: true,
  returns: subgroupPage,
  run: ({ group: owner, params: { relation, ...params }, paging, ...ctx }) =>
    showGroups(ctx, { ...params, invited_into: sharedIntoIds(owner, relation), all_available: true }, paging),
})

/** Returns the group and its ancestors, limited by `relation`. */
function sharedIntoIds(owner: GroupRow, relation: readonly string[] | undefined): number[] {
  const lineage = JSON.parse(owner.lineage) as number[]
  if (!relation?.length) return lineage
  return lineage.filter((id) => relation.includes(id === owner.id ? 'direct' : 'inherited'))
}

const securityParam = {
  with_security_reports: bool().optional().describe('Only projects with security reports; there are none'),
}

export const listGroupProjects = endpoint('GET /groups/:id/projects', {
  summary: 'List the projects of a group',
  scope: group,
  can: abilities.read_group,
  params: {
    ...projectListParams,
    ...securityParam,
    include_subgroups: bool().optional().describe('Also projects of subgroups'),
    with_shared: bool().optional().describe('Also projects shared with the group (default true)'),
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

/** Parameters of pages of projects, without the order by similarity. */
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
