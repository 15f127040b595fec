import { jsonList, type Database } from '../../../db/database.ts'

/** One entry of a protection: the role, the user, the group or the deploy key that it allows. */
export interface ProtectionEntry {
  /** 0 no one, 30, 40, or 60 for administrators; ignored if the entry names a user, group or key. */
  readonly access_level: number
  readonly user_id: number | null
  readonly group_id: number | null
  readonly deploy_key_id: number | null
}

/** The kind of a level: push, merge or unprotect. */
export type LevelKind = 'push' | 'merge' | 'unprotect'

/** A stored entry: who may push, merge or unprotect. */
export interface LevelRow extends ProtectionEntry {
  readonly id: number
  readonly protected_branch_id: number
  readonly kind: LevelKind
  /** Name of the user or group, or title of the key. */
  readonly title: string | null
}

interface ProtectionRow {
  readonly id: number
  readonly project_id: number
  readonly name: string
  readonly allow_force_push: boolean
  readonly code_owner_approval_required: boolean
}

/** The protection of a branch, or of all branches that a pattern with `*` matches. */
export interface Protection extends ProtectionRow {
  readonly levels: readonly LevelRow[]
}

const COLUMNS = 'id, project_id, name, allow_force_push, code_owner_approval_required'

/** Returns all protections of a project in order of creation; cached until one of their tables changes. */
export function protectionsOf(db: Database, projectId: number): readonly Protection[] {
  return db.rememberRows(`protections:${projectId}`, () => {
    const rows = db.many<ProtectionRow>(
      `SELECT ${COLUMNS} FROM protected_branches WHERE project_id = ? ORDER BY id`,
      projectId,
    )
    return withLevels(db, rows)
  })
}

function withLevels(db: Database, rows: readonly ProtectionRow[]): Protection[] {
  if (rows.length === 0) return []
  const levels = db.many<LevelRow>(
    `SELECT l.id, l.protected_branch_id, l.kind, l.access_level, l.user_id, l.group_id, l.deploy_key_id,
       coalesce(u.name, n.name, k.title) AS title
     FROM protected_branch_levels l LEFT JOIN users u ON u.id = l.user_id LEFT JOIN namespaces n ON n.id = l.group_id
       LEFT JOIN ssh_keys k ON k.id = l.deploy_key_id
     WHERE l.protected_branch_id IN (SELECT value FROM json_each(?)) ORDER BY l.id`,
    jsonList(rows.map((row) => row.id)),
  )
  const byProtection = Map.groupBy(levels, (level) => level.protected_branch_id)
  return rows.map((row) => ({ ...row, levels: byProtection.get(row.id) ?? [] }))
}

export function byName(db: Database, projectId: number, name: string): Protection | undefined {
  return protectionsOf(db, projectId).find((protection) => protection.name === name)
}

/** The values of a new entry. */
export interface NewLevel extends ProtectionEntry {
  readonly kind: LevelKind
}

/** Throws `UniqueViolation` if the name is already protected. */
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
    `INSERT INTO protected_branch_levels (protected_branch_id, kind, access_level, user_id, group_id, deploy_key_id)
     VALUES (?, ?, ?, ?, ?, ?)`,
    protectionId,
    level.kind,
    level.access_level,
    level.user_id,
    level.group_id,
    level.deploy_key_id,
  )
}

export function updateLevel(db: Database, id: number, entry: ProtectionEntry): void {
  db.exec(
    'UPDATE protected_branch_levels SET access_level = ?, user_id = ?, group_id = ?, deploy_key_id = ? WHERE id = ?',
    entry.access_level,
    entry.user_id,
    entry.group_id,
    entry.deploy_key_id,
    id,
  )
}

export function removeLevel(db: Database, id: number): void {
  db.exec('DELETE FROM protected_branch_levels WHERE id = ?', id)
}

/** Deletes all entries of one kind. */
export function removeLevels(db: Database, protectionId: number, kind: LevelKind): void {
  db.exec(
    'DELETE FROM protected_branch_levels WHERE protected_branch_id = ? AND kind = ?',
    protectionId,
    kind,
  )
}

export function update(
  db: Database,
  id: number,
  changes: { allow_force_push: boolean; code_owner_approval_required: boolean; now: string },
): void {
  db.exec(
    'UPDATE protected_branches SET allow_force_push = ?, code_owner_approval_required = ?, updated_at = ? WHERE id = ?',
    changes.allow_force_push,
    changes.code_owner_approval_required,
    changes.now,
    id,
  )
}

export function remove(db: Database, id: number): void {
  db.exec('DELETE FROM protected_branches WHERE id = ?', id)
}

/** Protects a branch with the given levels; an existing protection stays unchanged. */
export function protect(
  db: Database,
  projectId: number,
  branch: { name: string; push: number; merge: number; now: string },
): void {
  if (byName(db, projectId, branch.name)) return
  const none = { user_id: null, group_id: null, deploy_key_id: null }
  insert(
    db,
    {
      project_id: projectId,
      name: branch.name,
      allow_force_push: false,
      code_owner_approval_required: false,
      now: branch.now,
    },
    [
      { ...none, kind: 'push', access_level: branch.push },
      { ...none, kind: 'merge', access_level: branch.merge },
    ],
  )
}
