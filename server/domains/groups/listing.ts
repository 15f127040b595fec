import type { RawBuilder, SqlBool } from 'kysely'

import type { Ctx } from '../../ctx.ts'
import { OWNER } from '../../policy/levels.ts'
import { groupsOfMember, groupsOfViewer, visibleGroups } from '../members/index.ts'
import * as store from './store.ts'
import type { GroupFilter, GroupPage } from './store.ts'

/** A list as asked for. */
export interface GroupListRequest extends Omit<GroupFilter, 'conditions'> {
  owned?: boolean | undefined
  min_access_level?: number | undefined
  /** False: only groups the caller belongs to; true: also those they can see. */
  all_available: boolean
}

/** One page of the groups that the actor may see. */
export function findGroups(ctx: Ctx, request: GroupListRequest, page: GroupPage) {
  return store.list(ctx.db, { ...request, conditions: condition(ctx, request) }, page)
}

function condition(ctx: Ctx, request: GroupListRequest): RawBuilder<SqlBool>[] {
  const level = Math.max(request.owned ? OWNER : 0, request.min_access_level ?? 0)
  if (level > 0) return [groupsOfMember(ctx, level)]
  if (ctx.actor.is_admin && request.all_available) return []
  const narrow = ctx.actor.kind !== 'anonymous' && !request.all_available
  return [narrow ? groupsOfViewer(ctx) : visibleGroups(ctx)]
}
