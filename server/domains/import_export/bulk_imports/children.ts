import { tx } from '../../../db/database.ts'
import type { Desk } from './desk.ts'
import { apiPathOf } from './source-of.ts'
import { destinationOf, type EntityRow } from './state.ts'
import * as store from './store.ts'

const LISTS = [
  { source_type: 'group_entity', list: 'subgroups', path: 'full_path' },
  { source_type: 'project_entity', list: 'projects', path: 'path_with_namespace' },
] as const

/** Notes what is directly below a group there, to be taken over next. */
export async function children(desk: Desk): Promise<void> {
  for (const { source_type, list, path } of LISTS) {
    if (source_type === 'project_entity' && desk.row.migrate_projects === 0) continue
    const only = source_type === 'project_entity' ? '?with_shared=false&simple=true' : ''
    for await (const rows of desk.source.pages(`${apiPathOf(desk.row)}/${list}${only}`)) {
      const found = rows.flatMap((row) => childOf(desk.row, source_type, row, path))
      const { now } = desk.now()
      desk.signal.throwIfAborted()
      tx(desk.acting.db, () => {
        for (const one of found) store.insertEntity(desk.acting.db, one, now)
      })
    }
  }
}

function childOf(
  parent: EntityRow,
  source_type: EntityRow['source_type'],
  row: Readonly<Record<string, unknown>>,
  pathField: string,
): store.NewEntity[] {
  const { id, path, name } = row
  const fullPath = row[pathField]
  if (typeof fullPath !== 'string' || typeof path !== 'string' || typeof id !== 'number') return []
  // What was shared with it lies elsewhere.
  if (fullPath.toLowerCase() !== `${parent.source_full_path}/${path}`.toLowerCase()) return []
  return [
    {
      bulk_import_id: parent.bulk_import_id,
      parent_id: parent.id,
      source_type,
      source_full_path: fullPath,
      source_xid: id,
      destination_slug: path,
      destination_name: typeof name === 'string' && name !== '' ? name.slice(0, 255) : path,
      destination_namespace: destinationOf(parent),
      migrate_projects: parent.migrate_projects,
      migrate_memberships: parent.migrate_memberships,
    },
  ]
}
