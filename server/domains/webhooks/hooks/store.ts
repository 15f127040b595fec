import type { Selectable, Updateable } from 'kysely'

import { type Database, q } from '../../../db/database.ts'
import { boundedCount } from '../../../db/lists.ts'
import type { Rows } from '../../../db/rows.ts'
import type { WebHooksTable } from '../../../db/schema.gen.ts'
import { table } from '../../../db/table.ts'
import type { HookOwner } from './hook.ts'

/** A webhook as stored, with encrypted secrets. */
export type HookRow = Selectable<WebHooksTable>
export type HookColumns = Updateable<WebHooksTable>

function hooksOf({ kind, project_id, group_id }: HookOwner) {
  const query = q.selectFrom('web_hooks')
  if (project_id !== null) return query.where('project_id', '=', project_id)
  if (group_id !== null) return query.where('group_id', '=', group_id)
  return query.where('kind', '=', kind)
}

/** Returns one page of the webhooks of an owner, oldest first. */
export function list(
  db: Database,
  owner: HookOwner,
  paging: { limit: number; offset: number },
): Rows<HookRow> {
  const query = hooksOf(owner)
  const rows = db.all(query.selectAll().orderBy('id').limit(paging.limit).offset(paging.offset))
  return { rows, total: boundedCount(db, query.select('id')) }
}

export function count(db: Database, owner: HookOwner): number {
  return db.get(hooksOf(owner).select((eb) => eb.fn.countAll<number>().as('count')))!.count
}

export function find(db: Database, owner: HookOwner, id: number): HookRow | undefined {
  return db.get(hooksOf(owner).selectAll().where('id', '=', id))
}

export const { byId, insert, update, remove } = table('web_hooks')

/** Returns the webhooks with an event flag: of the project or group, of its parent groups, and of the instance. */
export function listening(
  db: Database,
  flag: string | undefined,
  owner: { project_id: number | null; group_id: number | null },
): HookRow[] {
  if (flag === undefined) return db.many<HookRow>(`SELECT * FROM web_hooks WHERE kind = 'system' ORDER BY id`)
  return db.many<HookRow>(
    `WITH RECURSIVE above (id) AS (
       SELECT coalesce((SELECT namespace_id FROM projects WHERE id = ?), ?)
       UNION ALL SELECT n.parent_id FROM above JOIN namespaces n ON n.id = above.id WHERE n.parent_id IS NOT NULL)
     SELECT * FROM web_hooks WHERE project_id = ? AND ${flag} = 1
     UNION ALL SELECT * FROM web_hooks WHERE group_id IN (SELECT id FROM above) AND ${flag} = 1
     UNION ALL SELECT * FROM web_hooks WHERE kind = 'system' AND ${flag} = 1
     ORDER BY id`,
    owner.project_id,
    owner.group_id,
    owner.project_id,
  )
}
