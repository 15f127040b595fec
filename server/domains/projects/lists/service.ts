import type { RawBuilder, SqlBool } from 'kysely'

import type { Ctx } from '../../../ctx.ts'
import { seesAll } from '../../../policy/actor.ts'
import { GUEST, OWNER } from '../../../policy/levels.ts'
import { customAttributeCondition } from '../../users/index.ts'
import { projectsOfMember, visibleProjects } from '../../members/index.ts'
import { projectsPage, SIZE_ORDERS, type ProjectFilter, type ProjectPage } from './store.ts'

/** The filters of a list and the namespaces to search. */
export interface ListRequest extends Omit<ProjectFilter, 'conditions' | 'topics' | 'imported_by'> {
  owned?: boolean | undefined
  starred?: boolean | undefined
  membership?: boolean | undefined
  min_access_level?: number | undefined
  topic?: readonly string[] | undefined
  imported?: boolean | undefined
  custom_attributes?: Readonly<Record<string, string>> | undefined
}

/**
 * Returns the access level that `owned`, `membership` and `min_access_level` require; undefined without one of them.
 */
function requestedLevel(request: ListRequest): number | undefined {
  const levels = [request.owned ? OWNER : 0, request.membership ? GUEST : 0, request.min_access_level ?? 0]
  const level = Math.max(...levels)
  return level > 0 ? Math.max(level, GUEST) : undefined
}

/** Returns one page of the projects that the actor may see. Keyset pages have no total. */
export function findProjects(ctx: Ctx, request: ListRequest, page: ProjectPage) {
  const {
    owned: _owned,
    membership: _membership,
    min_access_level: _level,
    starred,
    topic,
    imported,
    custom_attributes: _attributes,
    repository_checksum_failed,
    wiki_checksum_failed,
    repository_storage,
    ...rest
  } = request
  const filter: ProjectFilter = {
    ...rest,
    conditions: [...visibilityConditions(ctx, request), ...administratorConditions(ctx, request)],
    imported_by: imported ? (ctx.actor.id ?? 0) : undefined,
    topics: topic,
    starred_by: rest.starred_by ?? (starred ? (ctx.actor.id ?? 0) : undefined),
    ...(ctx.actor.is_admin ? { repository_storage, repository_checksum_failed, wiki_checksum_failed } : {}),
  }
  const isForbiddenOrder = (SIZE_ORDERS as readonly string[]).includes(page.order_by) && !ctx.actor.is_admin
  return projectsPage(ctx.db, filter, isForbiddenOrder ? { ...page, order_by: 'created_at' } : page)
}

/** Returns the conditions of filters that only administrators may use. */
function administratorConditions(ctx: Ctx, request: ListRequest): RawBuilder<SqlBool>[] {
  if (!ctx.actor.is_admin) return []
  const { custom_attributes } = request
  return custom_attributes ? [customAttributeCondition('project', 'p.id', custom_attributes)] : []
}

/**
 * Returns the condition for projects that the actor may see. A filter by level needs no check of the visibility,
 * because members see their projects.
 */
function visibilityConditions(ctx: Ctx, request: ListRequest): RawBuilder<SqlBool>[] {
  const { namespace_ids, shared_with, starred_by, starred, archived, topic } = request
  const isSelective = request.topic_id || request.with_programming_language || request.forked_from
  const isNarrow =
    namespace_ids || shared_with || starred_by || starred || archived || topic?.length || isSelective
  const use = isNarrow ? 'check' : 'find'
  const level = requestedLevel(request)
  if (level !== undefined) return [projectsOfMember(ctx, level, use)]
  if (seesAll(ctx.actor)) return []
  // Only members see private projects.
  return [
    request.visibility === 'private' ? projectsOfMember(ctx, undefined, use) : visibleProjects(ctx, use),
  ]
}
