import type { Ctx } from '../../../ctx.ts'
import type { ScimScope } from '../service-scope.ts'
import * as store from '../store.ts'
import type { ScimListView, ScimUserView } from './entity.ts'
import { filterCondition } from './filter.ts'
import { viewOf, type Projection } from './view.ts'
import { ACTIVE_IN_GROUP, ACTIVE_IN_INSTANCE } from './store.ts'

/** The parameters of a list, as they are sent. */
export interface Query extends Projection {
  readonly filter?: string | undefined
  readonly startIndex?: string | undefined
  readonly count?: string | undefined
}

const DEFAULT_COUNT = 20
const MOST = 100

function number(text: string | undefined, fallback: number): number {
  const value = Number(text ?? NaN)
  return Number.isSafeInteger(value) ? value : fallback
}

/** One page of users; a start below 1 is 1, at most 100 at once (spec administration 8.2). Throws 412 for a filter. */
export function listUsers(ctx: Ctx, scope: ScimScope, query: Query): ScimListView<ScimUserView> {
  const active = scope.group_id === null ? ACTIVE_IN_INSTANCE : ACTIVE_IN_GROUP
  const filter = query.filter?.trim() ? filterCondition(query.filter, active) : undefined
  const start = Math.max(1, number(query.startIndex, 1))
  const limit = Math.min(MOST, Math.max(0, number(query.count, DEFAULT_COUNT)))
  const { rows, total } = store.list(ctx.db, scope.group_id, filter, { limit, offset: start - 1 })
  return { rows: rows.map((row) => viewOf(scope, row, query)), total, start }
}
