import { sql, type RawBuilder, type SqlBool } from 'kysely'

import type { Ctx } from '../../ctx.ts'
import { jsonList } from '../../db/database.ts'
import { isoDate } from '../../lib/clock.ts'
import { seesAll } from '../../policy/actor.ts'
import { OWNER } from '../../policy/levels.ts'
import { customAttributeCondition } from '../users/index.ts'
import { groupsOfMember, groupsOfViewer, visibleGroups } from '../members/index.ts'
import * as store from './store.ts'
import type { GroupFilter, GroupPage } from './store.ts'

/** A list as asked for. */
export interface GroupListRequest extends Omit<GroupFilter, 'conditions'> {
  owned?: boolean | undefined
  min_access_level?: number | undefined
  /** False: only groups the caller belongs to; true: also those they can see. */
  all_available: boolean
  custom_attributes?: Readonly<Record<string, string>> | undefined
  /** Only groups that were invited into one of these. */
  invited_into?: readonly number[] | undefined
  /** Only groups that this one was invited into. */
  inviting?: number | undefined
}

/** One page of the groups that the actor may see. */
export function findGroups(ctx: Ctx, request: GroupListRequest, page: GroupPage) {
  const conditions = [...seen(ctx, request), ...linked(ctx, request), ...forAdministrators(ctx, request)]
  return store.list(ctx.db, { ...request, conditions }, page)
}

function seen(ctx: Ctx, request: GroupListRequest): RawBuilder<SqlBool>[] {
  const level = Math.max(request.owned ? OWNER : 0, request.min_access_level ?? 0)
  if (level > 0) return [groupsOfMember(ctx, level)]
  if (seesAll(ctx.actor) && request.all_available) return []
  const narrow = ctx.actor.kind !== 'anonymous' && !request.all_available
  return [narrow ? groupsOfViewer(ctx) : visibleGroups(ctx)]
}

function linked(ctx: Ctx, { invited_into, inviting }: GroupListRequest): RawBuilder<SqlBool>[] {
  const holds = sql`(l.expires_at IS NULL OR l.expires_at > ${isoDate(ctx.now)})`
  const parts: RawBuilder<SqlBool>[] = []
  if (invited_into !== undefined)
    parts.push(sql<SqlBool>`n.id IN (SELECT l.group_id FROM group_group_links l
      WHERE l.shared_group_id IN (SELECT value FROM json_each(${jsonList(invited_into)})) AND ${holds})`)
  if (inviting !== undefined)
    parts.push(sql<SqlBool>`n.id IN (SELECT l.shared_group_id FROM group_group_links l
      WHERE l.group_id = ${inviting} AND ${holds})`)
  return parts
}

/** Filters that do nothing for anybody else. */
function forAdministrators(ctx: Ctx, { custom_attributes: wanted }: GroupListRequest): RawBuilder<SqlBool>[] {
  return ctx.actor.is_admin && wanted ? [customAttributeCondition('namespace', 'n.id', wanted)] : []
}
