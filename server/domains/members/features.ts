import { sql, type RawBuilder, type SqlBool } from 'kysely'

import { seesAll } from '../../policy/actor.ts'
import { projectsOfMember, type Viewer } from './sets.ts'

/** Whoever sees a project (alias `p`) by its visibility alone; an external member of an internal one does not. */
function isOpen({ actor }: Viewer): RawBuilder<SqlBool> {
  if (actor.kind !== 'user' || actor.external) return sql<SqlBool>`p.visibility = 'public'`
  return sql<SqlBool>`p.visibility <> 'private'`
}

/**
 * Projects (alias `p`) whose feature the viewer may read: everybody who sees the project where it is open to all of
 * them, members from a level up where it is open to members, nobody where it is off. The set that `isAble` decides one
 * by one with an ability that is `public`.
 */
export function projectsWithFeature(
  viewer: Viewer,
  feature: 'issues' | 'merge_requests' | 'repository' | 'snippets' | 'releases' | 'wiki',
  from: number,
): RawBuilder<SqlBool> {
  const level = sql.ref(`p.${feature}_access_level`)
  if (seesAll(viewer.actor)) return sql<SqlBool>`${level} <> 'disabled'`
  const member = projectsOfMember(viewer, from, 'check')
  return sql<SqlBool>`((${level} IN ('enabled', 'public') AND ${isOpen(viewer)})
    OR (${level} <> 'disabled' AND ${member}))`
}
