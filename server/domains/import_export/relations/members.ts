import { MAINTAINER, MEMBER_LEVELS } from '../../../policy/levels.ts'
import { dayOf, wholeOf } from './checked.ts'
import * as field from './columns.ts'
import { columnsOf, recordOf, rowsAs, type ColumnMap } from './columns.ts'
import { relation, UnusableRecord, type Fields, type Owner, type Target } from './relation.ts'
import { countOf, membersOf, membersOfGroupsAbove, type MemberRow } from './store.ts'

/** Custom attributes and members name a group by its namespace. */
const columnOf = (kind: Owner['kind']) => (kind === 'project' ? 'project_id' : 'namespace_id')

const FIELDS: ColumnMap<MemberRow> = {
  access_level: field.shown(),
  created_by_id: field.shown(),
  expires_at: field.shown(),
  created_at: field.shown(),
  user_id: field.shown(),
  source_id: field.written<MemberRow>((row, from) => row.namespace_id ?? from.owner.id),
  source_type: field.written<MemberRow>((row) => (row.namespace_id === null ? 'Project' : 'Namespace')),
  notification_level: field.always(3),
  invite_email: field.always(null),
  invite_accepted_at: field.always(null),
  requested_at: field.always(null),
  ldap: field.always(false),
  override: field.always(false),
  updated_at: field.shown('created_at'),
  user: field.written<MemberRow>(({ user_id, public_email, username }) => ({
    id: user_id,
    public_email: public_email || null,
    username,
  })),
}

/** The members of a project; also those of its groups if the exporter may see them (spec administration 6.5). */
export const project_members = relation({
  name: 'project_members',
  of: ['project'],
  *records(from) {
    for (const row of membersOf(from)) yield recordOf(FIELDS, row, from)
    if (!from.includesGroupMembers) return
    for (const row of membersOfGroupsAbove(from)) yield recordOf(FIELDS, row, from)
  },
  count: (from) => countOf(from, 'members', 'project_id'),
  importRecord: (record, into) => importMember(record, into, MAINTAINER),
})

/** The direct members of a group (spec administration 6.5, 6.8). */
export const members = relation({
  name: 'members',
  of: ['group'],
  *records(from) {
    for (const row of membersOf(from)) yield recordOf(FIELDS, row, from)
  },
  count: (from) => countOf(from, 'members', 'namespace_id'),
  importRecord(record, into) {
    const { is_admin, owns_root_group } = into.importer
    importMember(record, into, is_admin || owns_root_group ? Infinity : MAINTAINER)
  },
})

/** Imports a member up to an access level. Unknown accounts are left out; the importer is a member already. */
function importMember(record: Fields, into: Target, highest: number): void {
  const level = wholeOf(record, 'access_level')
  if (level === null || !MEMBER_LEVELS.some((candidate) => candidate === level))
    throw new UnusableRecord('access_level is not included in the list')
  const { id, known } = into.person(record['user_id'])
  if (!known || id === into.importer_id) return
  into.link('members', {
    [columnOf(into.owner.kind)]: into.owner.id,
    user_id: id,
    access_level: Math.min(level, highest),
    expires_at: dayOf(record, 'expires_at'),
    created_by_id: into.importer_id,
    created_at: into.now,
  })
}

const ATTRIBUTE_FIELDS: ColumnMap = {
  key: field.required(255),
  value: field.text(undefined, ''),
  created_at: field.shown(),
  updated_at: field.shown(),
}

/** The custom attributes of a project or group; only administrators import them. */
export const custom_attributes = relation({
  name: 'custom_attributes',
  of: ['project', 'group'],
  ...rowsAs('custom_attributes', ATTRIBUTE_FIELDS, (from) => columnOf(from.owner.kind)),
  importRecord: (record, into) => {
    if (!into.importer.is_admin) return
    into.link('custom_attributes', {
      [columnOf(into.owner.kind)]: into.owner.id,
      ...columnsOf(ATTRIBUTE_FIELDS, record, into),
      created_at: into.now,
      updated_at: into.now,
    })
  },
})
