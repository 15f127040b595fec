import type { Insertable, Selectable, Updateable } from 'kysely'

import { type Database, q } from '../../db/database.ts'
import type { IntegrationsTable } from '../../db/schema.gen.ts'

/** An integration of a project, with encrypted secrets. */
export type IntegrationRow = Selectable<IntegrationsTable>

/** The active integrations of a project, by slug. */
export function activeOf(db: Database, projectId: number): IntegrationRow[] {
  return db.many<IntegrationRow>(
    'SELECT * FROM integrations WHERE project_id = ? AND active = 1 ORDER BY slug',
    projectId,
  )
}

/** All integrations that a project has set up. */
export function allOf(db: Database, projectId: number): IntegrationRow[] {
  return db.many<IntegrationRow>('SELECT * FROM integrations WHERE project_id = ? ORDER BY slug', projectId)
}

/** The integration of a slug; undefined if it was never set up. */
export function find(db: Database, projectId: number, slug: string): IntegrationRow | undefined {
  return db.one<IntegrationRow>(
    'SELECT * FROM integrations WHERE project_id = ? AND slug = ?',
    projectId,
    slug,
  )
}

export function byId(db: Database, id: number): IntegrationRow | undefined {
  return db.one<IntegrationRow>('SELECT * FROM integrations WHERE id = ?', id)
}

export function insert(db: Database, row: Insertable<IntegrationsTable>): IntegrationRow {
  return db.get(q.insertInto('integrations').values(row).returningAll())!
}

export function update(db: Database, id: number, columns: Updateable<IntegrationsTable>): IntegrationRow {
  return db.get(q.updateTable('integrations').set(columns).where('id', '=', id).returningAll())!
}
