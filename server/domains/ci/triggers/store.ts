import type { Selectable } from 'kysely'

import { q, type Database } from '../../../db/database.ts'
import { boundedCount } from '../../../db/lists.ts'
import type { Rows } from '../../../db/rows.ts'
import type { CiTriggersTable } from '../../../db/schema.gen.ts'
import { table } from '../../../db/table.ts'

/** A trigger as stored. Its token is encrypted. */
export type TriggerRow = Selectable<CiTriggersTable>

/** A page of a project's triggers, oldest first. */
export function list(
  db: Database,
  projectId: number,
  paging: { limit: number; offset: number },
): Rows<TriggerRow> {
  const query = q.selectFrom('ci_triggers').where('project_id', '=', projectId)
  const rows = db.all(query.selectAll().orderBy('id').limit(paging.limit).offset(paging.offset))
  return { rows, total: boundedCount(db, query.select('id')) }
}

export function byId(db: Database, projectId: number, id: number): TriggerRow | undefined {
  const query = q.selectFrom('ci_triggers').selectAll().where('project_id', '=', projectId)
  return db.get(query.where('id', '=', id))
}

/** The trigger with a token of this digest. */
export function byDigest(db: Database, digest: string): TriggerRow | undefined {
  return db.get(q.selectFrom('ci_triggers').selectAll().where('token_digest', '=', digest))
}

export const { insert, remove } = table('ci_triggers')

export function update(
  db: Database,
  id: number,
  columns: Partial<Pick<TriggerRow, 'description' | 'last_used_at' | 'updated_at'>>,
): TriggerRow {
  return db.get(q.updateTable('ci_triggers').set(columns).where('id', '=', id).returningAll())!
}
