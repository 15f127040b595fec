import type { Database } from '../../../../db/database.ts'
import type { TextTarget } from './types.ts'

/** The user with an identity of a provider. */
export function userOfIdentity(db: Database, provider: string, uid: string): number | undefined {
  const sql = 'SELECT user_id FROM identities WHERE provider = ? AND extern_uid = ?'
  return db.one<{ user_id: number }>(sql, provider, uid)?.user_id
}

/** The parts of the address of an upload. */
export function uploadById(db: Database, id: number): { secret: string; file_name: string } {
  return db.one<{ secret: string; file_name: string }>(
    'SELECT secret, file_name FROM uploads WHERE id = ?',
    id,
  )!
}

const NOTES = "t.system = 0 AND t.noteable_type IN ('Issue', 'MergeRequest') AND t.project_id"
const columnOf = (table: TextTarget['table']) => (table === 'notes' ? 'note' : 'description')

/** The next rows of a table with a text, by id; `text` is null for those that do not contain `piece`. */
export function textsAfter(
  db: Database,
  projectId: number,
  { table, piece, after, limit }: { table: TextTarget['table']; piece: string; after: number; limit: number },
): { id: number; text: string | null }[] {
  const column = columnOf(table)
  return db.many(
    `SELECT t.id, CASE WHEN instr(t.${column}, ?) > 0 THEN t.${column} END AS text FROM ${table} t
     WHERE ${table === 'notes' ? NOTES : 't.project_id'} = ? AND t.id > ? ORDER BY t.id LIMIT ${limit}`,
    piece,
    projectId,
    after,
  )
}

/** Replaces a text that was not changed in the meantime. */
export function updateText(db: Database, { table, id }: TextTarget, before: string, after: string): void {
  const column = columnOf(table)
  db.exec(`UPDATE ${table} SET ${column} = ? WHERE id = ? AND ${column} = ?`, after, id, before)
}

/** Tables of imported records; dependent rows are deleted with them. */
export const IMPORTED_TABLES = [
  'merge_requests',
  'issues',
  'releases',
  'milestones',
  'labels',
  'protected_branches',
  'push_rules',
  'lfs_objects_projects',
  'uploads',
  'import_marks',
] as const

/** Rows that one statement deletes; marks are small and have no dependents. */
const BATCH = 20
const MARKS_BATCH = 500

/** Deletes some rows of a project. False when there were none. */
export function deleteSome(
  db: Database,
  table: (typeof IMPORTED_TABLES)[number],
  projectId: number,
): boolean {
  const isMarks = table === 'import_marks'
  const key = isMarks ? 'kind, source_key' : 'id'
  const batch = `SELECT ${key} FROM ${table} WHERE project_id = ? LIMIT ${isMarks ? MARKS_BATCH : BATCH}`
  return (
    db.exec(`DELETE FROM ${table} WHERE project_id = ? AND (${key}) IN (${batch})`, projectId, projectId)
      .changes > 0
  )
}
