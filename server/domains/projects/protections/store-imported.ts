import type { Database } from '../../../db/database.ts'

// Inserts and updates of imported protections. They publish no events.

/** The levels of an imported protection. */
export interface ImportedProtection {
  readonly push: number
  readonly merge: number
  readonly allow_force_push?: boolean
}

/** Returns the id of the protection with a name. */
export function protectionByName(db: Database, projectId: number, name: string): number | undefined {
  const sql = 'SELECT id FROM protected_branches WHERE project_id = ? AND name = ?'
  return db.one<{ id: number }>(sql, projectId, name)?.id
}

const LEVEL_KINDS = ['push', 'merge'] as const

/** Protects a branch. Returns the id of the protection. */
export function insertProtection(
  db: Database,
  projectId: number,
  protection: ImportedProtection & { readonly name: string },
  now: string,
): number {
  const { id } = db.exec(
    `INSERT INTO protected_branches (project_id, name, allow_force_push, code_owner_approval_required, created_at, updated_at)
     VALUES (?, ?, ?, 0, ?, ?)`,
    projectId,
    protection.name,
    protection.allow_force_push ?? false,
    now,
    now,
  )
  const sql = 'INSERT INTO protected_branch_levels (protected_branch_id, kind, access_level) VALUES (?, ?, ?)'
  for (const kind of LEVEL_KINDS) db.exec(sql, id, kind, protection[kind])
  return id
}

/** Raises the levels of a protection to those of an imported one where these are stricter. */
export function tightenProtection(
  db: Database,
  id: number,
  protection: ImportedProtection,
  now: string,
): void {
  for (const kind of LEVEL_KINDS)
    db.exec(
      `UPDATE protected_branch_levels SET access_level = ? WHERE protected_branch_id = ? AND kind = ?
         AND user_id IS NULL AND group_id IS NULL AND deploy_key_id IS NULL AND access_level <> 0
         AND (? = 0 OR access_level < ?)`,
      protection[kind],
      id,
      kind,
      protection[kind],
      protection[kind],
    )
  const sql = 'UPDATE protected_branches SET allow_force_push = ?, updated_at = ? WHERE id = ?'
  db.exec(sql, protection.allow_force_push ?? false, now, id)
}
