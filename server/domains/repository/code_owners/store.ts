import { jsonList, type Database } from '../../../db/database.ts'

/** Returns active users by name or email address, case-insensitively. */
export function usersByName(
  db: Database,
  names: readonly string[],
  emails: readonly string[],
): { id: number; username: string; email: string }[] {
  return db.many(
    `SELECT u.id, u.username, u.email FROM users u WHERE u.state = 'active' AND (
       u.username COLLATE NOCASE IN (SELECT value FROM json_each(?)) OR u.email COLLATE NOCASE IN (SELECT value FROM json_each(?)))
     UNION SELECT u.id, u.username, e.email FROM user_emails e JOIN users u ON u.id = e.user_id
       WHERE u.state = 'active' AND e.confirmed_at IS NOT NULL AND e.email COLLATE NOCASE IN (SELECT value FROM json_each(?))`,
    jsonList(names),
    jsonList(emails),
    jsonList(emails),
  )
}

/** Returns groups by full path, case-insensitively. */
export function groupsByPath(db: Database, paths: readonly string[]): { id: number; full_path: string }[] {
  return db.many(
    "SELECT n.id, n.full_path FROM namespaces n WHERE n.kind = 'group' AND n.full_path COLLATE NOCASE IN (SELECT value FROM json_each(?))",
    jsonList(paths),
  )
}

/** Returns the active direct members of groups, without expired memberships. */
export function membersOf(
  db: Database,
  groupIds: readonly number[],
  today: string,
): { namespace_id: number; user_id: number }[] {
  return db.many(
    `SELECT m.namespace_id, m.user_id FROM members m JOIN users u ON u.id = m.user_id
     WHERE m.namespace_id IN (SELECT value FROM json_each(?)) AND u.state = 'active'
       AND (m.expires_at IS NULL OR m.expires_at > ?) ORDER BY m.user_id`,
    jsonList(groupIds),
    today,
  )
}
