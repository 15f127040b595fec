import { GUEST } from '../../policy/levels.ts'

/**
 * Groups invited into groups (alias `l`), the given list of groups being a JSON array. What is shared with a group
 * counts for everything below it.
 */
export const LINKS_OF_GROUPS = `SELECT NULL AS project_id, l.shared_group_id AS namespace_id, l.group_id, l.access_level, l.expires_at
  FROM group_group_links l WHERE l.shared_group_id IN (SELECT value FROM json_each(?)) AND (l.expires_at IS NULL OR l.expires_at > ?)`

/** Groups invited into projects, a JSON array. A group that locks sharing switches off the shares of its projects. */
export const LINKS_OF_PROJECTS = `SELECT l.project_id, NULL AS namespace_id, l.group_id, l.access_level, l.expires_at
  FROM project_group_links l CROSS JOIN projects p ON p.id = l.project_id CROSS JOIN namespaces n ON n.id = p.namespace_id
  WHERE l.project_id IN (SELECT value FROM json_each(?)) AND (l.expires_at IS NULL OR l.expires_at > ?)
    AND n.share_with_group_lock = 0`

/**
 * The levels that one user has by shares, one row for each link that reaches them: members of the invited group and of
 * the groups above it, never higher than the link. Shares do not pass on what was shared with the invited group.
 */
function levelsBy(links: string): string {
  return `SELECT l.project_id, l.namespace_id, min(l.access_level, m.access_level) AS access_level
    FROM (${links}) l CROSS JOIN namespaces g ON g.id = l.group_id CROSS JOIN json_each(g.lineage) up
    CROSS JOIN members m ON m.namespace_id = up.value
    WHERE m.user_id = ? AND (m.expires_at IS NULL OR m.expires_at > ?)`
}

/** Level of a user on some groups by shares into them. Parameters: groups, today, user, today. */
export const SHARED_WITH_GROUPS = levelsBy(LINKS_OF_GROUPS)
/** Level of a user on some projects by shares into them. Parameters: projects, today, user, today. */
export const SHARED_WITH_PROJECTS = levelsBy(LINKS_OF_PROJECTS)

/** One row of the queries above. */
export interface SharedLevel {
  readonly project_id: number | null
  readonly namespace_id: number | null
  readonly access_level: number
}

/**
 * Whether a share into something below a group reaches a user. Parameters: user, today, today, group, today, group.
 * It begins with the groups of the user, which are fewer than the shares of the instance.
 */
export const SHARED_BELOW = `
  WITH RECURSIVE mine (id, level) AS (
    SELECT m.namespace_id, m.access_level FROM members m
      WHERE m.user_id = ? AND m.namespace_id IS NOT NULL AND (m.expires_at IS NULL OR m.expires_at > ?)
    UNION SELECT c.id, mine.level FROM namespaces c JOIN mine ON c.parent_id = mine.id)
  SELECT EXISTS (
    SELECT 1 FROM mine CROSS JOIN group_group_links l ON l.group_id = mine.id AND (l.expires_at IS NULL OR l.expires_at > ?)
      CROSS JOIN namespaces n ON n.id = l.shared_group_id CROSS JOIN json_each(n.lineage) up WHERE up.value = ?
  ) OR EXISTS (
    SELECT 1 FROM mine CROSS JOIN project_group_links l ON l.group_id = mine.id AND (l.expires_at IS NULL OR l.expires_at > ?)
      CROSS JOIN projects p ON p.id = l.project_id CROSS JOIN namespaces n ON n.id = p.namespace_id
      CROSS JOIN json_each(n.lineage) up
      WHERE up.value = ? AND mine.level >= ${GUEST} AND n.share_with_group_lock = 0
  ) AS found`
