import type { Selectable } from 'kysely'

import { type Database } from '../../db/database.ts'
import type { IntegrationsTable } from '../../db/schema.gen.ts'
import { table } from '../../db/table.ts'

/** An integration of a project, with encrypted secrets. */
export type IntegrationRow = Selectable<IntegrationsTable>

/** Lists the active integrations of a project, by slug. */
export function activeOf(db: Database, projectId: number): IntegrationRow[] {
  return db.many<IntegrationRow>(
    'SELECT * FROM integrations WHERE project_id = ? AND active = 1 ORDER BY slug',
    projectId,
  )
}

/** Lists all integrations that a project has set up. */
export function allOf(db: Database, projectId: number): IntegrationRow[] {
  return db.many<IntegrationRow>('SELECT * FROM integrations WHERE project_id = ? ORDER BY slug', projectId)
}

/** Returns the integration of a slug. Undefined if it was never set up. */
export function find(db: Database, projectId: number, slug: string): IntegrationRow | undefined {
  return db.one<IntegrationRow>(
    'SELECT * FROM integrations WHERE project_id = ? AND slug = ?',
    projectId,
    slug,
  )
}

export const { byId, insert, update } = table('integrations')
