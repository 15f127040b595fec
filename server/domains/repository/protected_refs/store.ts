import type { Database } from '../../../db/database.ts'

/**
 * Returns whether a group has access to a project: as one of its parent groups, or by a share with the project or a
 * parent group that is valid on the day `today`.
 */
export function groupHasAccess(
  db: Database,
  project: { readonly id: number; readonly lineage: string },
  groupId: number,
  today: string,
): boolean {
  const sql = `SELECT 1 FROM namespaces n WHERE n.id = ? AND n.kind = 'group' AND (
      n.id IN (SELECT value FROM json_each(?))
      OR EXISTS (SELECT 1 FROM project_group_links l WHERE l.project_id = ? AND l.group_id = n.id
        AND (l.expires_at IS NULL OR l.expires_at > ?))
      OR EXISTS (SELECT 1 FROM group_group_links l WHERE l.shared_group_id IN (SELECT value FROM json_each(?))
        AND l.group_id = n.id AND (l.expires_at IS NULL OR l.expires_at > ?)))`
  return db.one(sql, groupId, project.lineage, project.id, today, project.lineage, today) !== undefined
}

/** Returns whether a deploy key is enabled for a project and may write to it. */
export function keyMayPush(db: Database, projectId: number, keyId: number): boolean {
  const sql = 'SELECT 1 FROM deploy_keys_projects WHERE project_id = ? AND deploy_key_id = ? AND can_push = 1'
  return db.one(sql, projectId, keyId) !== undefined
}
