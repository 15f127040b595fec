import { dayOf, wholeOf } from './checked.ts'
import { relation, UnusableRecord, type Fields } from './relation.ts'

const LEVELS = new Set([5, 10, 20, 30, 40, 50])
const MAINTAINER = 40

interface MemberToWrite {
  readonly access_level: number
  readonly user_id: number
  readonly created_by_id: number | null
  readonly expires_at: string | null
  readonly created_at: string
  readonly namespace_id: number | null
  readonly public_email: string | null
  readonly username: string
}

const SELECT = `
  SELECT m.access_level, m.user_id, m.created_by_id, m.expires_at, m.created_at, m.namespace_id, u.public_email, u.username
  FROM members m JOIN users u ON u.id = m.user_id AND u.kind = 'human'`

/** Of the groups above: who is not in the project itself, with the highest level that they have in one of them. */
const OF_GROUPS = `${SELECT}
  WHERE m.namespace_id IN (SELECT value FROM projects p, namespaces n, json_each(n.lineage)
    WHERE p.id = ?1 AND n.id = p.namespace_id AND n.kind = 'group')
  AND NOT EXISTS (SELECT 1 FROM members d WHERE d.project_id = ?1 AND d.user_id = m.user_id)
  GROUP BY m.user_id HAVING m.access_level = max(m.access_level) ORDER BY m.user_id`.replaceAll('?1', '?')

/** Who belongs to a project; those of its groups as well where whoever exports may see them (spec administration 6.5). */
export const project_members = relation({
  name: 'project_members',
  of: ['project'],
  *records({ db, owner, includesGroupMembers }) {
    const direct = db.each<MemberToWrite>(`${SELECT} WHERE m.project_id = ? ORDER BY m.id`, owner.id)
    for (const row of direct) yield recordOf(row, owner.id)
    if (!includesGroupMembers) return
    for (const row of db.each<MemberToWrite>(OF_GROUPS, owner.id, owner.id)) yield recordOf(row, owner.id)
  },
  count: ({ db, owner }) =>
    db.one<{ n: number }>('SELECT count(*) AS n FROM members WHERE project_id = ?', owner.id)!.n,
  take(record, into) {
    const level = wholeOf(record, 'access_level')
    if (level === null || !LEVELS.has(level))
      throw new UnusableRecord('access_level is not included in the list')
    const { id, known } = into.person(record['user_id'])
    // Who is nobody here cannot belong to anything; who imports is there already.
    if (!known || id === into.importer_id) return
    into.link('members', {
      project_id: into.owner.id,
      user_id: id,
      access_level: Math.min(level, MAINTAINER),
      expires_at: dayOf(record, 'expires_at'),
      created_by_id: into.importer_id,
      created_at: into.now,
    })
  },
})

function recordOf(row: MemberToWrite, projectId: number): Fields {
  const { public_email, username, namespace_id, user_id, ...fields } = row
  return {
    ...fields,
    user_id,
    source_id: namespace_id ?? projectId,
    source_type: namespace_id === null ? 'Project' : 'Namespace',
    notification_level: 3,
    invite_email: null,
    invite_accepted_at: null,
    requested_at: null,
    ldap: false,
    override: false,
    updated_at: row.created_at,
    user: { id: user_id, public_email: public_email || null, username },
  }
}
