import type { Database } from '../../../../db/database.ts'

/** Somebody who owns a project, as far as events name them. */
export interface OwnerRow {
  readonly name: string
  readonly public_email: string
}

/** People who own a project or one of the groups above it (`lineage`, a JSON array), by id. */
export function owners(
  db: Database,
  place: { readonly project_id: number; readonly lineage: string },
  today: string,
): OwnerRow[] {
  return db.many<OwnerRow>(
    `SELECT name, public_email FROM users WHERE kind = 'human' AND id IN (
       SELECT user_id FROM members
       WHERE project_id = ? AND access_level = 50 AND (expires_at IS NULL OR expires_at > ?)
       UNION SELECT user_id FROM members WHERE namespace_id IN (SELECT value FROM json_each(?))
         AND access_level = 50 AND (expires_at IS NULL OR expires_at > ?)) ORDER BY id LIMIT 100`,
    place.project_id,
    today,
    place.lineage,
    today,
  )
}
