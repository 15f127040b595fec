import type { Selectable } from 'kysely'

import { type Database, jsonList, q } from '../../../db/database.ts'
import type { UploadsTable } from '../../../db/schema.gen.ts'
import { addUploadSize } from '../../projects/index.ts'

/** A file attached to texts of a project or group. */
export type UploadRow = Selectable<UploadsTable>

/** Inserts an upload and adds its size to that of the project. */
export function insert(db: Database, row: Omit<UploadRow, 'id'>): UploadRow {
  const created = db.get(q.insertInto('uploads').values(row).returningAll())!
  if (row.project_id !== null) addUploadSize(db, row.project_id, row.size)
  return created
}

/** Returns an upload of a project by the secret and the file name in its URL. */
export function bySecret(
  db: Database,
  projectId: number,
  upload: Pick<UploadRow, 'secret' | 'file_name'>,
): UploadRow | undefined {
  const { secret, file_name } = upload
  return db.one<UploadRow>(
    'SELECT * FROM uploads WHERE secret = ? AND project_id = ? AND file_name = ?',
    secret,
    projectId,
    file_name,
  )
}

/** Returns those of the secrets that belong to uploads of a project. */
export function secretsAmong(db: Database, projectId: number, secrets: readonly string[]): Set<string> {
  const sql = 'SELECT secret FROM uploads WHERE project_id = ? AND secret IN (SELECT value FROM json_each(?))'
  const rows = db.many<{ secret: string }>(sql, projectId, jsonList(secrets))
  return new Set(rows.map(({ secret }) => secret))
}

/** Returns the file name of the avatar of a topic. */
export function topicAvatar(db: Database, id: number): string | null {
  return db.one<{ avatar: string | null }>('SELECT avatar FROM topics WHERE id = ?', id)?.avatar ?? null
}
