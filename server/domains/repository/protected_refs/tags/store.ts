import { jsonList, type Database } from '../../../../db/database.ts'
import type { ProtectionEntry as Entry } from '../../../projects/index.ts'

/** One entry of a protected tag, for a level, user, group or key that may create the tag. */
export interface TagLevelRow extends Entry {
  readonly id: number
  readonly protected_tag_id: number
  /** The name of the user or group, or the title of the key. */
  readonly title: string | null
}

/** The protection of a tag, or of all tags that a pattern with `*` matches. */
export interface TagProtection {
  readonly id: number
  readonly project_id: number
  readonly name: string
  readonly levels: readonly TagLevelRow[]
}

/** Returns all protected tags of a project, sorted by name. */
export function tagProtectionsOf(db: Database, projectId: number): readonly TagProtection[] {
  return db.rememberRows(`tag-protections:${projectId}`, () => {
    const rows = db.many<Omit<TagProtection, 'levels'>>(
      'SELECT id, project_id, name FROM protected_tags WHERE project_id = ? ORDER BY name, id',
      projectId,
    )
    return withLevels(db, rows)
  })
}

function withLevels(db: Database, rows: readonly Omit<TagProtection, 'levels'>[]): TagProtection[] {
  if (rows.length === 0) return []
  const levels = db.many<TagLevelRow>(
    `SELECT l.id, l.protected_tag_id, l.access_level, l.user_id, l.group_id, l.deploy_key_id,
       coalesce(u.name, n.name, k.title) AS title
     FROM protected_tag_levels l LEFT JOIN users u ON u.id = l.user_id LEFT JOIN namespaces n ON n.id = l.group_id
       LEFT JOIN ssh_keys k ON k.id = l.deploy_key_id
     WHERE l.protected_tag_id IN (SELECT value FROM json_each(?)) ORDER BY l.id`,
    jsonList(rows.map((row) => row.id)),
  )
  const byProtection = Map.groupBy(levels, (level) => level.protected_tag_id)
  return rows.map((row) => ({ ...row, levels: byProtection.get(row.id) ?? [] }))
}

export function byName(db: Database, projectId: number, name: string): TagProtection | undefined {
  return tagProtectionsOf(db, projectId).find((protection) => protection.name === name)
}

/** Inserts a protection with its entries. Throws `UniqueViolation` if the name is already protected. */
export function insert(
  db: Database,
  row: { project_id: number; name: string; now: string },
  entries: readonly Entry[],
): TagProtection {
  const { id } = db.exec(
    'INSERT INTO protected_tags (project_id, name, created_at, updated_at) VALUES (?, ?, ?, ?)',
    row.project_id,
    row.name,
    row.now,
    row.now,
  )
  for (const entry of entries) {
    db.exec(
      `INSERT INTO protected_tag_levels (protected_tag_id, access_level, user_id, group_id, deploy_key_id)
       VALUES (?, ?, ?, ?, ?)`,
      id,
      entry.access_level,
      entry.user_id,
      entry.group_id,
      entry.deploy_key_id,
    )
  }
  return byName(db, row.project_id, row.name)!
}

export function remove(db: Database, id: number): void {
  db.exec('DELETE FROM protected_tags WHERE id = ?', id)
}
