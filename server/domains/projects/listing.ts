import type { RawBuilder, SqlBool } from 'kysely'

import type { Ctx } from '../../ctx.ts'
import { GUEST, OWNER } from '../../policy/levels.ts'
import { projectsOfMember, visibleProjects } from '../members/index.ts'
import { list, type ProjectFilter, type ProjectPage } from './list.ts'

/** A list as asked for, plus where to look. */
export interface ListRequest extends Omit<ProjectFilter, 'conditions' | 'topics'> {
  owned?: boolean | undefined
  starred?: boolean | undefined
  membership?: boolean | undefined
  min_access_level?: number | undefined
  topic?: readonly string[] | undefined
}

/** The lowest level asked for by one of the three ways to say it; undefined when it does not matter. */
function levelAsked(request: ListRequest): number | undefined {
  const asked = [request.owned ? OWNER : 0, request.membership ? GUEST : 0, request.min_access_level ?? 0]
  const level = Math.max(...asked)
  return level > 0 ? Math.max(level, GUEST) : undefined
}

/** One page of the projects that the actor may see. Total is missing for keyset pages. */
export function findProjects(ctx: Ctx, request: ListRequest, page: ProjectPage) {
  const {
    owned: _owned,
    membership: _membership,
    min_access_level: _level,
    starred,
    topic,
    repository_storage,
    ...rest
  } = request
  const filter: ProjectFilter = {
    ...rest,
    conditions: seen(ctx, request),
    topics: topic,
    starred_by: rest.starred_by ?? (starred ? (ctx.actor.id ?? 0) : undefined),
    repository_storage: ctx.actor.is_admin ? repository_storage : undefined,
  }
  return list(ctx.db, filter, page)
}

/** What the actor may see of the list. Who belongs to a project sees it, so a level asked for says it all. */
function seen(ctx: Ctx, request: ListRequest): RawBuilder<SqlBool>[] {
  const { namespace_ids, starred_by, starred, archived, topic } = request
  const isNarrow = namespace_ids || starred_by || starred || archived || topic?.length
  const use = isNarrow ? 'check' : 'find'
  const level = levelAsked(request)
  if (level !== undefined) return [projectsOfMember(ctx, level, use)]
  if (ctx.actor.is_admin) return []
  // Only members see private projects.
  return [
    request.visibility === 'private' ? projectsOfMember(ctx, undefined, use) : visibleProjects(ctx, use),
  ]
}
