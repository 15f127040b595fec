import { jsonList, type Database } from '../../../db/database.ts'

/** What a level of a protection is about. */
export type LevelKind = 'push' | 'merge' | 'unprotect'

/** One entry of a protection: who may push, merge or unprotect. */
export interface LevelRow {
  readonly id: number
  readonly protected_branch_id: number
  readonly kind: LevelKind
  readonly access_level: number
  readonly user_id: number | null
  readonly group_id: number | null
  /** Name of the user or group. */
  readonly title: string | null
}

interface ProtectionRow {
  readonly id: number
  readonly project_id: number
  readonly name: string
  readonly allow_force_push: number
  readonly code_owner_approval_required: number
}

/** The protection of a branch, or of all branches that a pattern with `*` matches. */
export interface Protection extends ProtectionRow {
  readonly levels: readonly LevelRow[]
}

const COLUMNS = 'id, project_id, name, allow_force_push, code_owner_approval_required'

/** All protections of a project, by name; remembered until the next write. */
export function protectionsOf(db: Database, projectId: number): readonly Protection[] {
  return db.remember(`protections:${projectId}`, () => {
    const rows = db.many<ProtectionRow>(
      `SELECT ${COLUMNS} FROM protected_branches WHERE project_id = ? ORDER BY name, id`,
      projectId,
    )
    return withLevels(db, rows)
  })
}

function withLevels(db: Database, rows: readonly ProtectionRow[]): Protection[] {
  if (rows.length === 0) return []
  const levels = db.many<LevelRow>(
    `SELECT l.id, l.protected_branch_id, l.kind, l.access_level, l.user_id, l.group_id, coalesce(u.name, n.name) AS title
     FROM protected_branch_levels l LEFT JOIN users u ON u.id = l.user_id LEFT JOIN namespaces n ON n.id = l.group_id
     WHERE l.protected_branch_id IN (SELECT value FROM json_each(?)) ORDER BY l.id`,
    jsonList(rows.map((row) => row.id)),
  )
  const byProtection = Map.groupBy(levels, (level) => level.protected_branch_id)
  return rows.map((row) => ({ ...row, levels: byProtection.get(row.id) ?? [] }))
}

export function byName(db: Database, projectId: number, name: string): Protection | undefined {
  return protectionsOf(db, projectId).find((one) => one.name === name)
}

/** What a new entry says. */
export interface NewLevel {
  readonly kind: LevelKind
  readonly access_level: number
  readonly user_id?: number | null
  readonly group_id?: number | null
}

/** Throws `UniqueViolation` when the name is protected already. */
export function insert(
  db: Database,
  row: {
    project_id: number
    name: string
    allow_force_push: boolean
    code_owner_approval_required: boolean
    now: string
  },
  levels: readonly NewLevel[],
): Protection {
  const { id } = db.exec(
    `INSERT INTO protected_branches (project_id, name, allow_force_push, code_owner_approval_required, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
    row.project_id,
    row.name,
    row.allow_force_push,
    row.code_owner_approval_required,
    row.now,
    row.now,
  )
  for (const level of levels) insertLevel(db, id, level)
  return byName(db, row.project_id, row.name)!
}

export function insertLevel(db: Database, protectionId: number, level: NewLevel): void {
  db.exec(
    'INSERT INTO protected_branch_levels (protected_branch_id, kind, access_level, user_id, group_id) VALUES (?, ?, ?, ?, ?)',
    protectionId,
    level.kind,
    level.access_level,
    level.user_id ?? null,
    level.group_id ?? null,
  )
}

/** Changes or removes one entry of a protection; false when it has none with that id. */
export function changeLevel(
  db: Database,
  protectionId: number,
  given: { id: number; kind: LevelKind; access_level: number | null },
): boolean {
  const where = 'WHERE id = ? AND protected_branch_id = ? AND kind = ?'
  const { changes } =
    given.access_level === null
      ? db.exec(`DELETE FROM protected_branch_levels ${where}`, given.id, protectionId, given.kind)
      : db.exec(
          `UPDATE protected_branch_levels SET access_level = ? ${where}`,
          given.access_level,
          given.id,
          protectionId,
          given.kind,
        )
  return changes > 0
}

export function update(
  db: Database,
  id: number,
  given: { allow_force_push: boolean; code_owner_approval_required: boolean; now: string },
): void {
  db.exec(
    'UPDATE protected_branches SET allow_force_push = ?, code_owner_approval_required = ?, updated_at = ? WHERE id = ?',
    given.allow_force_push,
    given.code_owner_approval_required,
    given.now,
    id,
  )
}

export function remove(db: Database, id: number): void {
  db.exec('DELETE FROM protected_branches WHERE id = ?', id)
}

export function userExists(db: Database, id: number): boolean {
  return db.one('SELECT 1 FROM users WHERE id = ?', id) !== undefined
}

export function groupExists(db: Database, id: number): boolean {
  return db.one("SELECT 1 FROM namespaces WHERE id = ? AND kind = 'group'", id) !== undefined
}
