import type { Selectable } from 'kysely'

import { q, type Database } from '../../../db/database.ts'
import type { FeatureFlagClientsTable } from '../../../db/schema.gen.ts'

/** The token of the clients of a project, encrypted and as a digest. */
export type FlagClientRow = Selectable<FeatureFlagClientsTable>

export function ofProject(db: Database, projectId: number): FlagClientRow | undefined {
  return db.get(q.selectFrom('feature_flag_clients').selectAll().where('project_id', '=', projectId))
}

/** Returns the ID of the project of a token. Cached until its table changes, because every poll needs it. */
export function projectOfDigest(db: Database, digest: string): number | undefined {
  return db.rememberRows(`feature_flags:client:${digest}`, () => {
    const query = q.selectFrom('feature_flag_clients').select('project_id')
    return db.get(query.where('token_digest', '=', digest))?.project_id
  })
}

/** Stores the token of a project, and replaces the previous one. */
export function save(db: Database, row: FlagClientRow): FlagClientRow {
  const { project_id: _project, ...columns } = row
  const query = q.insertInto('feature_flag_clients').values(row)
  return db.get(
    query.onConflict((conflict) => conflict.column('project_id').doUpdateSet(columns)).returningAll(),
  )!
}
