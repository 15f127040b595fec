import type { RawBuilder } from 'kysely'
import { parse, type Filter } from 'scim2-parse-filter'

import type { Ctx } from '../../../../ctx.ts'
import type { ScimScope } from '../service-scope.ts'
import * as store from '../store.ts'
import type { ScimUserRow } from '../store.ts'
import type { ScimListView, ScimUserView } from './entity.ts'
import { namePartsOf, isActive } from './patch.ts'
import {
  ACTIVE_IN_GROUP,
  ACTIVE_IN_INSTANCE,
  conditionOf,
  type Condition,
  refusal,
  attributeOf,
} from './store.ts'

const MAX_FILTER_LENGTH = 2000

/**
 * Returns a filter as a condition on `scim_identities i` and `users u`. `active` is the condition for active users in
 * the scope. Throws 412 `Unsupported Filter` for an invalid filter and for unsupported attributes (spec
 * administration 8.2).
 */
function filterCondition(text: string, active: RawBuilder<unknown>): Condition {
  // The parser takes exponential time for an unclosed quotation with many line breaks.
  if (text.length > MAX_FILTER_LENGTH || /[\r\n]/.test(text)) throw refusal()
  let parsed: Filter
  try {
    parsed = parse(text)
  } catch {
    throw refusal()
  }
  return conditionOf(parsed, '', active)
}

/** The parameters of a list, as texts of the request. */
export interface Query extends Projection {
  readonly filter?: string | undefined
  readonly startIndex?: string | undefined
  readonly count?: string | undefined
}

const DEFAULT_COUNT = 20
const MAX_COUNT = 100

function numberOf(text: string | undefined, fallback: number): number {
  const value = Number(text ?? NaN)
  return Number.isSafeInteger(value) ? value : fallback
}

/**
 * Returns one page of at most 100 users. A start below 1 counts as 1 (spec administration 8.2). Throws 412 for an
 * invalid or unsupported filter.
 */
export function listUsers(ctx: Ctx, scope: ScimScope, query: Query): ScimListView<ScimUserView> {
  const active = scope.group_id === null ? ACTIVE_IN_INSTANCE : ACTIVE_IN_GROUP
  const filter = query.filter?.trim() ? filterCondition(query.filter, active) : undefined
  const start = Math.max(1, numberOf(query.startIndex, 1))
  const limit = Math.min(MAX_COUNT, Math.max(0, numberOf(query.count, DEFAULT_COUNT)))
  const { rows, total } = store.list(ctx.db, scope.group_id, filter, { limit, offset: start - 1 })
  return { rows: rows.map((row) => viewOf(scope, row, query)), total, start }
}

/** The requested attributes of a user (RFC 7644 3.9). */
interface Projection {
  readonly attributes?: readonly string[] | undefined
  readonly excludedAttributes?: readonly string[] | undefined
}

function namesIn(input: readonly string[] = []): Set<string> | undefined {
  const names = input.flatMap((name) => attributeOf(name.trim()) || [])
  return names.length > 0 ? new Set(names) : undefined
}

function showsOf({ attributes, excludedAttributes }: Projection): ScimUserView['shows'] {
  const [included, excluded] = [namesIn(attributes), namesIn(excludedAttributes)]
  const isIn = (names: Set<string>, attribute: string): boolean => {
    const name = attribute.toLowerCase()
    return names.has(name) || names.has(name.split('.')[0]!)
  }
  if (included) return (attribute) => isIn(included, attribute)
  return excluded ? (attribute) => !isIn(excluded, attribute) : undefined
}

/** Returns the SCIM representation of a user in a scope. */
export function viewOf(scope: ScimScope, row: ScimUserRow, projection: Projection = {}): ScimUserView {
  const shows = showsOf(projection)
  return {
    extern_uid: row.extern_uid,
    active: isActive(row),
    username: row.username,
    name: { formatted: row.name, ...namePartsOf(row.name) },
    email: row.email,
    created_at: row.created_at,
    updated_at: row.updated_at,
    location: `${scope.address}/Users/${encodeURIComponent(row.extern_uid)}`,
    ...(shows ? { shows } : {}),
  }
}
