import { flagOf } from '../checked.ts'
import { relation } from '../relation.ts'

interface Row {
  readonly parent_id: number | null
  readonly prevent_forking_outside_group: boolean
  readonly prevent_sharing_groups_outside_hierarchy: boolean
  readonly unique_project_download_limit: number
  readonly unique_project_download_limit_interval_in_seconds: number
  readonly auto_ban_user_on_excessive_projects_download: boolean
  readonly created_at: string
  readonly updated_at: string
}

const COLUMNS = `parent_id, prevent_forking_outside_group, prevent_sharing_groups_outside_hierarchy,
  unique_project_download_limit, unique_project_download_limit_interval_in_seconds,
  auto_ban_user_on_excessive_projects_download, created_at, updated_at`

/** Rules of a group that are kept apart from its attributes; one record (spec administration 6.8). */
export const namespaceSettings = relation({
  name: 'namespace_settings',
  of: ['group'],
  single: true,
  *records({ db, owner }) {
    const row = db.one<Row>(`SELECT ${COLUMNS} FROM namespaces WHERE id = ?`, owner.id)
    if (!row) return
    yield {
      prevent_forking_outside_group: row.prevent_forking_outside_group,
      prevent_sharing_groups_outside_hierarchy: row.prevent_sharing_groups_outside_hierarchy,
      unique_project_download_limit: row.unique_project_download_limit,
      unique_project_download_limit_interval_in_seconds:
        row.unique_project_download_limit_interval_in_seconds,
      auto_ban_user_on_excessive_projects_download: row.auto_ban_user_on_excessive_projects_download,
      created_at: row.created_at,
      updated_at: row.updated_at,
    }
  },
  count: () => 1,
  take(record, into) {
    const { id } = into.owner
    const isTop = into.db.one<{ parent_id: number | null }>(
      'SELECT parent_id FROM namespaces WHERE id = ?',
      id,
    )
    into.update('namespaces', id, {
      prevent_forking_outside_group: flagOf(record, 'prevent_forking_outside_group'),
      // Below another group it is that one's to say. Limits of downloads are the instance's own and stay there.
      ...(isTop?.parent_id === null
        ? {
            prevent_sharing_groups_outside_hierarchy: flagOf(
              record,
              'prevent_sharing_groups_outside_hierarchy',
            ),
          }
        : {}),
    })
  },
})
