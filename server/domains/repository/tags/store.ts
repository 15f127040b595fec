import { jsonList, type Database } from '../../../db/database.ts'

/** What a tag says of its release. */
export interface TagRelease {
  readonly tag_name: string
  readonly description: string | null
}

/** The releases of some tags, by tag. Releases stand on this domain, so that the table is read here. */
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
