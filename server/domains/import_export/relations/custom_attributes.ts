import { requiredText, textOf } from './checked.ts'
import { relation, type Fields } from './relation.ts'

const columnOf = (kind: 'project' | 'group') => (kind === 'project' ? 'project_id' : 'namespace_id')

/** What administrators keep with a project or group. */
export const custom_attributes = relation({
  name: 'custom_attributes',
  of: ['project', 'group'],
  records: ({ db, owner }) =>
    db.each<Fields>(
      `SELECT key, value, created_at, updated_at FROM custom_attributes WHERE ${columnOf(owner.kind)} = ? ORDER BY id`,
      owner.id,
    ),
  count: ({ db, owner }) =>
    db.one<{ count: number }>(
      `SELECT count(*) AS count FROM custom_attributes WHERE ${columnOf(owner.kind)} = ?`,
      owner.id,
    )!.count,
  take: (record, into) => {
    // They are for administrators alone.
    if (!into.importer.is_admin) return
    into.link('custom_attributes', {
      [columnOf(into.owner.kind)]: into.owner.id,
      key: requiredText(record, 'key', 255),
      value: textOf(record, 'value') ?? '',
      created_at: into.now,
      updated_at: into.now,
    })
  },
})
