import type { Database } from '../../../db/database.ts'
import type { Kind } from './hook-event.ts'

/** A row of `hook_events`. */
export interface HookEventRow {
  readonly id: number
  readonly uuid: string
  readonly chained: boolean
  readonly kind: Kind
  readonly project_id: number | null
  readonly group_id: number | null
  readonly actor_id: number | null
  readonly ref: string | null
  /** Encrypted (`sealing.ts`). */
  readonly payload: string
  readonly created_at: string
}

/** Inserts an event. Returns its ID. */
export function insert(db: Database, row: Omit<HookEventRow, 'id'>): number {
  const created = db.one<{ id: number }>(
    `INSERT INTO hook_events (uuid, chained, kind, project_id, group_id, actor_id, ref, payload, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
    row.uuid,
    row.chained,
    row.kind,
    row.project_id,
    row.group_id,
    row.actor_id,
    row.ref,
    row.payload,
    row.created_at,
  )
  return created!.id
}

/** Returns an event with its encrypted payload. Undefined if it was deleted. */
export function byId(db: Database, id: number): HookEventRow | undefined {
  return db.one<HookEventRow>('SELECT * FROM hook_events WHERE id = ?', id)
}

/** True if the instance has a webhook or an active integration. Most instances have none and need no further queries. */
export function hasListeners(db: Database): boolean {
  const row = db.one<{ found: number }>(
    'SELECT EXISTS (SELECT 1 FROM web_hooks) OR EXISTS (SELECT 1 FROM integrations WHERE active = 1) AS found',
  )
  return row!.found === 1
}

/** True if a webhook with a flag exists: of the project, of a parent group, or a system hook. */
export function hasHookFor(
  db: Database,
  flag: string | undefined,
  owner: { project_id?: number | undefined; group_id?: number | undefined },
): boolean {
  const condition = flag === undefined ? `kind = 'system'` : `${flag} = 1`
  const row = db.one<{ found: number }>(
    `WITH RECURSIVE above (id) AS (
       SELECT coalesce((SELECT namespace_id FROM projects WHERE id = ?), ?)
       UNION ALL SELECT n.parent_id FROM above JOIN namespaces n ON n.id = above.id WHERE n.parent_id IS NOT NULL)
     SELECT EXISTS (SELECT 1 FROM web_hooks WHERE kind = 'system' AND ${condition})
       OR EXISTS (SELECT 1 FROM web_hooks WHERE project_id = ? AND ${condition})
       OR EXISTS (SELECT 1 FROM web_hooks WHERE group_id IN (SELECT id FROM above) AND ${condition}) AS found`,
    owner.project_id ?? null,
    owner.group_id ?? null,
    owner.project_id ?? null,
  )
  return row!.found === 1
}

/** True if a project has an active integration that listens to a kind of event. */
export function hasIntegration(db: Database, projectId: number, kind: Kind): boolean {
  const row = db.one<{ found: number }>(
    `SELECT EXISTS (SELECT 1 FROM integrations i, json_each(i.kinds) k
       WHERE i.project_id = ? AND i.active = 1 AND k.value = ?) AS found`,
    projectId,
    kind,
  )
  return row!.found === 1
}
