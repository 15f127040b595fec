import type { Selectable } from 'kysely'

import { q, type Database } from '../../../db/database.ts'
import type { FeatureFlagClientsTable } from '../../../db/schema.gen.ts'

/** The token of the clients of a project: sealed, and as a digest. */
export type FlagClientRow = Selectable<FeatureFlagClientsTable>

export function ofProject(db: Database, projectId: number): FlagClientRow | undefined {
  return db.get(q.selectFrom('feature_flag_clients').selectAll().where('project_id', '=', projectId))
}

/** The project of a token. Every poll needs it, so it is cached until one of its tables changes. */
export function projectOfDigest(db: Database, digest: string): number | undefined {
  return db.rememberRows(`feature_flags:client:${digest}`, () => {
    const query = q.selectFrom('feature_flag_clients').select('project_id')
    return db.get(query.where('token_digest', '=', digest))?.project_id
  })
}

/** Stores the token of a project; it replaces the former one. */
export function put(db: Database, row: FlagClientRow): FlagClientRow {
  const { project_id: _project, ...columns } = row
  const query = q.insertInto('feature_flag_clients').values(row)
  return db.get(query.onConflict((at) => at.column('project_id').doUpdateSet(columns)).returningAll())!
}
