import { tx } from '../../../db/database.ts'
import { MIGRATION_SOURCE } from '../../../http/aliases.ts'
import { Failure } from '../../../lib/fail.ts'
import { beginRun } from '../runs/begin.ts'
import { placeFor, type ImportPlace } from '../imports/place.ts'
import { insertProject, projectById } from '../../projects/index.ts'
import type { Desk } from './desk.ts'
import { apiPathOf } from './source-of.ts'
import * as store from './store.ts'

/** Makes the project here, empty and seen by nobody but those who own it until it is filled. */
export async function beginProject(desk: Desk): Promise<void> {
  const { row, acting, run } = desk
  if (row.project_id !== null && projectById(acting.db, row.project_id)) return
  const { id: source_xid, name } = await desk.source.get(apiPathOf(row))
  const wished = typeof name === 'string' && name !== '' ? name.slice(0, 255) : row.destination_name
  desk.signal.throwIfAborted()
  tx(acting.db, () => {
    const ctx = { ...acting, now: desk.now().now }
    const { namespace_id, ...place } = placeOf(desk, wished)
    const named = { name: place.name, path: place.path, namespace_id }
    const project = insertProject(ctx, { ...named, columns: { visibility: 'private' } }, run.user_id)
    beginRun(ctx, project, {
      import_type: MIGRATION_SOURCE,
      import_source: row.source_full_path,
      provider_link: `${run.source_url}/${row.source_full_path}`,
      user_id: run.user_id,
    })
    const known = typeof source_xid === 'number' ? { source_xid } : {}
    store.updateEntity(ctx.db, row.id, { project_id: project.id, ...known }, ctx.now)
  })
  desk.reload()
}

/** Names are of less weight than places. */
function placeOf({ row, acting }: Desk, name: string): ImportPlace {
  const wanted = { namespace: row.destination_namespace, path: row.destination_slug }
  try {
    return placeFor(acting, { ...wanted, name })
  } catch (error) {
    const isName =
      error instanceof Failure && typeof error.detail === 'string' && error.detail.startsWith('Name ')
    if (!isName) throw error
    return placeFor(acting, wanted)
  }
}
