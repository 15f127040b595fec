import { MAINTAINER, MEMBER_LEVELS } from '../../../policy/levels.ts'
import { dayOf, integerOf } from './checked.ts'
import * as field from './columns.ts'
import { columnsOf, recordOf, rowsAs, type ColumnMap } from './columns.ts'
import { relation, UnusableRecord, type Fields, type Owner, type Target } from './relation.ts'
import { countOf, membersOf, membersOfAncestorGroups, type MemberRow } from './store.ts'

/** The column of the owner. Custom attributes and members refer to a group as a namespace. */
const columnOf = (kind: Owner['kind']) => (kind === 'project' ? 'project_id' : 'namespace_id')

const FIELDS: ColumnMap<MemberRow> = {
  access_level: field.exported(),
  created_by_id: field.exported(),
  expires_at: field.exported(),
  created_at: field.exported(),
  user_id: field.exported(),
  source_id: field.computed<MemberRow>((row, source) => row.namespace_id ?? source.owner.id),
  source_type: field.computed<MemberRow>((row) => (row.namespace_id === null ? 'Project' : 'Namespace')),
  notification_level: field.constant(3),
  invite_email: field.constant(null),
  invite_accepted_at: field.constant(null),
  requested_at: field.constant(null),
  ldap: field.constant(false),
  override: field.constant(false),
  updated_at: field.exported('created_at'),
  user: field.computed<MemberRow>(({ user_id, public_email, username }) => ({
    id: user_id,
    public_email: public_email || null,
    username,
  })),
}

/** The members of a project, and of its groups if the exporter may see them (spec administration 6.5). */
export const project_members = relation({
  name: 'project_members',
  ownerKinds: ['project'],
  *records(source) {
    for (const row of membersOf(source)) yield recordOf(FIELDS, row, source)
    if (!source.includesGroupMembers) return
    for (const row of membersOfAncestorGroups(source)) yield recordOf(FIELDS, row, source)
  },
  count: (source) => countOf(source, 'members', 'project_id'),
  importRecord: (record, target) => importMember(record, target, MAINTAINER),
})

/** The direct members of a group (spec administration 6.5, 6.8). */
export const members = relation({
  name: 'members',
  ownerKinds: ['group'],
  *records(source) {
    for (const row of membersOf(source)) yield recordOf(FIELDS, row, source)
  },
  count: (source) => countOf(source, 'members', 'namespace_id'),
  importRecord(record, target) {
    const { is_admin, owns_root_group } = target.importer
    importMember(record, target, is_admin || owns_root_group ? Infinity : MAINTAINER)
  },
})

/**
 * Imports a member with at most `maxLevel`. Skips users that are not found, and the importer, who already is a member.
 */
function importMember(record: Fields, target: Target, maxLevel: number): void {
  const level = integerOf(record, 'access_level')
  if (level === null || !MEMBER_LEVELS.some((candidate) => candidate === level))
    throw new UnusableRecord('access_level is not included in the list')
  const { id, isMatched } = target.person(record['user_id'])
  if (!isMatched || id === target.importer_id) return
  target.link('members', {
    [columnOf(target.owner.kind)]: target.owner.id,
    user_id: id,
    access_level: Math.min(level, maxLevel),
    expires_at: dayOf(record, 'expires_at'),
    created_by_id: target.importer_id,
    created_at: target.now,
  })
}

const ATTRIBUTE_FIELDS: ColumnMap = {
  key: field.required(255),
  value: field.text(undefined, ''),
  created_at: field.exported(),
  updated_at: field.exported(),
}

/** The custom attributes of a project or group. Only imports of administrators include them. */
export const custom_attributes = relation({
  name: 'custom_attributes',
  ownerKinds: ['project', 'group'],
  ...rowsAs('custom_attributes', ATTRIBUTE_FIELDS, (source) => columnOf(source.owner.kind)),
  importRecord: (record, target) => {
    if (!target.importer.is_admin) return
    target.link('custom_attributes', {
      [columnOf(target.owner.kind)]: target.owner.id,
      ...columnsOf(ATTRIBUTE_FIELDS, record, target),
      created_at: target.now,
      updated_at: target.now,
    })
  },
})
