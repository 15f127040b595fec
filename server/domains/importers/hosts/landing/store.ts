import type { Database } from '../../../../db/database.ts'
import type { TextTarget } from './types.ts'

/** The ID of the user with this identity of a provider. */
export function userOfIdentity(db: Database, provider: string, uid: string): number | undefined {
  const sql = 'SELECT user_id FROM identities WHERE provider = ? AND extern_uid = ?'
  return db.one<{ user_id: number }>(sql, provider, uid)?.user_id
}

/** The fields of an upload that its address consists of. */
export function uploadById(db: Database, id: number): { secret: string; file_name: string } {
  return db.one<{ secret: string; file_name: string }>(
    'SELECT secret, file_name FROM uploads WHERE id = ?',
    id,
  )!
}

const NOTES = "t.system = 0 AND t.noteable_type IN ('Issue', 'MergeRequest') AND t.project_id"
const columnOf = (table: TextTarget['table']) => (table === 'notes' ? 'note' : 'description')

/** The next rows of a table, by ID. `text` is null for rows that do not contain `substring`. */
export function textsAfter(
  db: Database,
  projectId: number,
  {
    table,
    substring,
    after,
    limit,
  }: { table: TextTarget['table']; substring: string; after: number; limit: number },
): { id: number; text: string | null }[] {
  const column = columnOf(table)
  return db.many(
    `SELECT t.id, CASE WHEN instr(t.${column}, ?) > 0 THEN t.${column} END AS text FROM ${table} t
     WHERE ${table === 'notes' ? NOTES : 't.project_id'} = ? AND t.id > ? ORDER BY t.id LIMIT ${limit}`,
    substring,
    projectId,
    after,
  )
}

/** Replaces a text, unless it was changed in the meantime. */
export function updateText(db: Database, { table, id }: TextTarget, before: string, after: string): void {
  const column = columnOf(table)
  db.exec(`UPDATE ${table} SET ${column} = ? WHERE id = ? AND ${column} = ?`, after, id, before)
}

/** Tables of imported records. Dependent rows are deleted with them. */
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

/** Number of rows that one statement deletes. Marks are small and have no dependent rows. */
const BATCH = 20
const MARKS_BATCH = 500

/** Deletes one batch of rows of a project. Returns false if there were none. */
export function deleteBatch(
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
