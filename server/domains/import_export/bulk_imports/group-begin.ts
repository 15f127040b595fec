import { fail, Failure } from '../../../lib/fail.ts'
import type { Visibility } from '../../../policy/levels.ts'
import { createGroup, findGroup, type Group } from '../../groups/index.ts'
import { settingsOf } from '../../settings/index.ts'
import { columnsOf, narrowestOf } from '../relations/groups/attributes.ts'
import type { Fields } from '../relations/relation.ts'
import type { Desk } from './desk.ts'
import { isFreeFor } from './destination.ts'
import { apiPathOf } from './source-of.ts'
import { destinationOf } from './state.ts'

/** Makes the group here, with what its API says there. */
export async function beginGroup(desk: Desk): Promise<void> {
  const { row, acting } = desk
  if (row.namespace_id !== null && findGroup(acting, String(row.namespace_id))) return
  const record = await desk.source.get(`${apiPathOf(row)}?with_projects=false`)
  const { id: source_xid, name } = record
  if (!isFreeFor(acting, row))
    throw fail(
      'unprocessable',
      `Destination '${row.destination_namespace}' is invalid, or you don't have permission.`,
    )
  const group =
    madeBefore(desk) ??
    (await make(
      desk,
      record as Fields,
      typeof name === 'string' && name !== '' ? name : row.destination_name,
    ))
  desk.write({
    namespace_id: group.id,
    ...(typeof source_xid === 'number' ? { source_xid } : {}),
  })
}

/** A group that was made right before the instance was cut off, and that nobody noted. */
function madeBefore(desk: Desk): Group | undefined {
  const { making } = desk.cursor
  const found = making === undefined ? undefined : findGroup(desk.acting, destinationOf(desk.row))
  return found && found.created_at >= making! ? found : undefined
}

async function make(desk: Desk, record: Fields, name: string): Promise<Group> {
  const { row, now } = desk
  const acting = { ...desk.acting, now: now().now }
  desk.go({ ...desk.cursor, making: acting.now })
  const parent = row.destination_namespace === '' ? undefined : findGroup(acting, row.destination_namespace)
  const { shared_runners_setting: _runners, share_with_group_lock: _lock, ...columns } = columnsOf(record)
  const visibility = visibilityOf(desk, record, parent)
  const given = { path: row.destination_slug, parent_id: parent?.id, columns: { ...columns, visibility } }
  try {
    return await createGroup(acting, { ...given, name })
  } catch (error) {
    // Names are of less weight than places.
    const isName = error instanceof Failure && /:name=>/.test(String(error.detail))
    if (!isName || name === row.destination_slug) throw error
    return createGroup(acting, { ...given, name: row.destination_slug })
  }
}

function visibilityOf({ acting }: Desk, record: Fields, parent: Group | undefined): Visibility {
  const said = record['visibility']
  const own: Visibility = said === 'public' || said === 'internal' ? said : 'private'
  const narrow = parent ? narrowestOf(own, parent.visibility as Visibility) : own
  const isRestricted =
    !acting.actor.is_admin && settingsOf(acting).restricted_visibility_levels.includes(narrow)
  return isRestricted ? 'private' : narrow
}
