import { dayOf, wholeOf } from '../checked.ts'
import { relation, UnusableRecord, type Fields } from '../relation.ts'

const LEVELS = new Set([5, 10, 20, 30, 40, 50])
const MAINTAINER = 40

interface Row {
  readonly access_level: number
  readonly user_id: number
  readonly created_by_id: number | null
  readonly expires_at: string | null
  readonly created_at: string
  readonly public_email: string
  readonly username: string
}

/** Who belongs to a group directly (spec administration 6.5, 6.8). Accounts of machines stay where they are. */
export const members = relation({
  name: 'members',
  of: ['group'],
  *records({ db, owner }) {
    const rows = db.each<Row>(
      `SELECT m.access_level, m.user_id, m.created_by_id, m.expires_at, m.created_at, u.public_email, u.username
       FROM members m JOIN users u ON u.id = m.user_id
       WHERE m.namespace_id = ? AND u.kind = 'human' ORDER BY m.id`,
      owner.id,
    )
    for (const row of rows) yield recordOf(row, owner.id)
  },
  count: ({ db, owner }) =>
    db.one<{ n: number }>('SELECT count(*) AS n FROM members WHERE namespace_id = ?', owner.id)?.n ?? 0,
  take(record, into) {
    const level = wholeOf(record, 'access_level')
    if (level === null || !LEVELS.has(level))
      throw new UnusableRecord('access_level is not included in the list')
    const { id, known } = into.person(record['user_id'])
    // Who is nobody here cannot belong to anything; who imports owns the group already.
    if (!known || id === into.importer_id) return
    const { is_admin, owns_root_group } = into.importer
    into.link('members', {
      namespace_id: into.owner.id,
      user_id: id,
      access_level: is_admin || owns_root_group ? level : Math.min(level, MAINTAINER),
      expires_at: dayOf(record, 'expires_at'),
      created_by_id: into.importer_id,
      created_at: into.now,
    })
  },
})

function recordOf(row: Row, groupId: number): Fields {
  const { public_email, username, user_id, ...fields } = row
  return {
    ...fields,
    user_id,
    source_id: groupId,
    source_type: 'Namespace',
    notification_level: 3,
    invite_email: null,
    invite_accepted_at: null,
    requested_at: null,
    ldap: false,
    override: false,
    updated_at: row.created_at,
    user: { id: user_id, public_email: public_email === '' ? null : public_email, username },
  }
}
