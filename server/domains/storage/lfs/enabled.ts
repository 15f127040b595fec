import type { Database } from '../../../db/database.ts'
import type { Project } from '../../projects/index.ts'

/** True for a project that keeps large files: neither it nor a group above has them switched off. */
export function keepsLargeFiles(
  { db }: { readonly db: Database },
  { lfs_enabled, lineage }: Pick<Project, 'lfs_enabled' | 'lineage'>,
): boolean {
  if (!lfs_enabled) return false
  return db.remember(
    `lfs-groups:${lineage}`,
    () =>
      db.one(
        `SELECT 1 FROM namespaces WHERE id IN (SELECT value FROM json_each(?)) AND lfs_enabled = 0`,
        lineage,
      ) === undefined,
  )
}
