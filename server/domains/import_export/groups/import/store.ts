import type { Selectable } from 'kysely'

import type { Database } from '../../../../db/database.ts'
import type { GroupImportsTable } from '../../../../db/schema.gen.ts'
import { removeOtherMembers } from '../../../members/index.ts'

/** The import of a group, as stored. */
export type GroupImport = Selectable<GroupImportsTable>

export function ofGroup(db: Database, groupId: number): GroupImport | undefined {
  return db.one<GroupImport>('SELECT * FROM group_imports WHERE group_id = ?', groupId)
}

export function insert(
  db: Database,
  row: Pick<GroupImport, 'group_id' | 'user_id' | 'file'>,
  now: string,
): GroupImport {
  return db.one<GroupImport>(
    'INSERT INTO group_imports (group_id, user_id, file, created_at, updated_at) VALUES (?, ?, ?, ?, ?) RETURNING *',
    row.group_id,
    row.user_id,
    row.file,
    now,
    now,
  )!
}

export function update(
  db: Database,
  groupId: number,
  changes: Partial<GroupImport>,
  now: string,
): GroupImport | undefined {
  const entries = Object.entries({ ...changes, updated_at: now })
  const set = entries.map(([name]) => `${name} = ?`).join(', ')
  return db.one<GroupImport>(
    `UPDATE group_imports SET ${set} WHERE group_id = ? RETURNING *`,
    ...entries.map(([, value]) => value),
    groupId,
  )
}

/** Names of the archives that an import still needs. */
export function filesInUse(db: Database): Set<string> {
  const rows = db.many<{ file: string }>('SELECT file FROM group_imports WHERE file IS NOT NULL')
  return new Set(rows.map(({ file }) => file))
}

/** Deletes the content that an import created in the group itself. The caller has deleted the subgroups. */
export function deleteContent(db: Database, groupId: number, importerId: number | null): void {
  for (const table of ['boards', 'labels', 'milestones', 'internal_ids', 'import_failures'])
    db.exec(`DELETE FROM ${table} WHERE group_id = ?`, groupId)
  removeOtherMembers(db, groupId, importerId)
}

/** The IDs of the direct subgroups of a group. */
export function childrenOf(db: Database, groupId: number): number[] {
  const sql = "SELECT id FROM namespaces WHERE parent_id = ? AND kind = 'group'"
  return db.many<{ id: number }>(sql, groupId).map(({ id }) => id)
}
