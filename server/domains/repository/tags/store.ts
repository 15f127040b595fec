import { jsonList, type Database } from '../../../db/database.ts'

/** The release of a tag, as the tag shows it. */
export interface TagRelease {
  readonly tag_name: string
  readonly description: string | null
}

/**
 * Returns the releases of some tags, by tag. The releases domain imports this one, so this reads the table directly.
 */
export function releasesOf(
  db: Database,
  projectId: number,
  tags: readonly string[],
): Map<string, TagRelease> {
  const rows = db.many<TagRelease>(
    `SELECT tag AS tag_name, description FROM releases
     WHERE project_id = ? AND tag IN (SELECT value FROM json_each(?))`,
    projectId,
    jsonList(tags),
  )
  return new Map(rows.map((row) => [row.tag_name, row]))
}
