import { VISIBILITY_RANK, type Visibility } from '../../../policy/levels.ts'
import type { Group } from '../../groups/index.ts'
import type { NamespaceRow } from '../../namespaces/index.ts'
import { flagOf, choiceOf, textOf, integerOf } from './checked.ts'
import * as field from './columns.ts'
import { columnsOf, recordOf, type ColumnMap } from './columns.ts'
import { relation, UnusableRecord, type Fields } from './relation.ts'
import { groupRow } from './store.ts'

/** Settings of a group as columns. */
export type GroupColumns = Partial<Omit<Group, 'id' | 'name' | 'path' | 'kind' | 'parent_id' | 'lineage'>>

const VISIBILITIES: readonly [number, Visibility][] = [
  [0, 'private'],
  [10, 'internal'],
  [20, 'public'],
]
const PROJECT_CREATION = ['noone', 'maintainer', 'developer'] as const
const SUBGROUP_CREATION = ['owner', 'maintainer'] as const
const MAX_DESCRIPTION = 500

/** The attributes of a group in an archive, without owners, tokens and limits (spec administration 6.8). */
export function attributesOf(group: Group): Fields {
  const runners = group.shared_runners_setting
  return {
    id: group.id,
    name: group.name,
    path: group.path,
    type: 'Group',
    description: group.description,
    avatar: group.avatar,
    parent_id: group.parent_id,
    visibility_level: VISIBILITIES.find(([, name]) => name === group.visibility)?.[0] ?? 0,
    membership_lock: group.membership_lock,
    share_with_group_lock: group.share_with_group_lock,
    request_access_enabled: group.request_access_enabled,
    lfs_enabled: group.lfs_enabled,
    require_two_factor_authentication: group.require_two_factor_authentication,
    two_factor_grace_period: group.two_factor_grace_period,
    project_creation_level: PROJECT_CREATION.findIndex((name) => name === group.project_creation_level),
    subgroup_creation_level: SUBGROUP_CREATION.findIndex((name) => name === group.subgroup_creation_level),
    auto_devops_enabled: group.auto_devops_enabled,
    emails_disabled: group.emails_disabled,
    mentions_disabled: group.mentions_disabled,
    default_branch_protection: group.default_branch_protection,
    shared_runners_enabled: runners === 'enabled',
    allow_descendants_override_disabled_shared_runners: runners === 'disabled_and_overridable',
    file_template_project_id: null,
    traversal_ids: JSON.parse(group.lineage) as number[],
  }
}

/** The validated attributes of a group in an archive. */
export interface ImportedGroup {
  readonly id: number
  readonly parent_id: number | null
  readonly name: string
  readonly path: string
  readonly visibility: Visibility
  readonly columns: GroupColumns
}

/** Validates the attributes of a group. Throws UnusableRecord. */
export function groupOf(record: Fields): ImportedGroup {
  const id = integerOf(record, 'id', { min: 1, max: Number.MAX_SAFE_INTEGER })
  const name = textOf(record, 'name', 255)
  const path = textOf(record, 'path', 255)
  if (id === null || !name || !path) throw new UnusableRecord('A group has no id, name or path')
  return {
    id,
    parent_id: integerOf(record, 'parent_id', { min: 1, max: Number.MAX_SAFE_INTEGER }),
    name,
    path,
    visibility: visibilityOf(record),
    columns: groupColumns(record),
  }
}

function visibilityOf(record: Fields): Visibility {
  const level = record['visibility_level'] ?? record['visibility']
  return VISIBILITIES.find(([rank, name]) => rank === level || name === level)?.[1] ?? 'private'
}

/** A word of a list. An archive contains its number, the API the word itself. */
function wordByNumber<const Word extends string>(
  record: Fields,
  name: string,
  words: readonly Word[],
  fallback: NoInfer<Word>,
): Word {
  const value = record[name]
  return typeof value === 'number' ? (words[value] ?? fallback) : choiceOf(record, name, words, fallback)
}

/** Settings of a group, from its attributes in an archive or from an answer of the API, which have the same names. */
export function groupColumns(record: Fields): GroupColumns {
  const optionalFlag = (name: string): boolean | null =>
    record[name] === null || record[name] === undefined ? null : flagOf(record, name)
  return {
    description: (textOf(record, 'description') ?? '').slice(0, MAX_DESCRIPTION),
    membership_lock: flagOf(record, 'membership_lock'),
    share_with_group_lock: flagOf(record, 'share_with_group_lock'),
    request_access_enabled: flagOf(record, 'request_access_enabled', true),
    lfs_enabled: flagOf(record, 'lfs_enabled', true),
    require_two_factor_authentication: flagOf(record, 'require_two_factor_authentication'),
    two_factor_grace_period: integerOf(record, 'two_factor_grace_period', { min: 0, max: 1_000_000 }) ?? 48,
    project_creation_level: wordByNumber(record, 'project_creation_level', PROJECT_CREATION, 'developer'),
    subgroup_creation_level: wordByNumber(record, 'subgroup_creation_level', SUBGROUP_CREATION, 'maintainer'),
    auto_devops_enabled: optionalFlag('auto_devops_enabled'),
    emails_disabled: optionalFlag('emails_disabled'),
    mentions_disabled: optionalFlag('mentions_disabled'),
    default_branch_protection: integerOf(record, 'default_branch_protection', { min: 0, max: 4 }) ?? 2,
    shared_runners_setting: runnersOf(record),
  }
}

function runnersOf(record: Fields): NamespaceRow['shared_runners_setting'] {
  if (record['shared_runners_enabled'] !== false) {
    const setting = record['shared_runners_setting']
    const isDisabled = setting === 'disabled_and_overridable' || setting === 'disabled_and_unoverridable'
    return isDisabled ? setting : 'enabled'
  }
  const mayOverride = flagOf(record, 'allow_descendants_override_disabled_shared_runners')
  return mayOverride ? 'disabled_and_overridable' : 'disabled_and_unoverridable'
}

/** The narrowest of several visibilities. */
export function narrowestOf(first: Visibility, ...others: readonly Visibility[]): Visibility {
  return others.reduce(
    (narrowest, visibility) =>
      VISIBILITY_RANK[visibility] < VISIBILITY_RANK[narrowest] ? visibility : narrowest,
    first,
  )
}

const FIELDS: ColumnMap = {
  prevent_forking_outside_group: field.flag(),
  prevent_sharing_groups_outside_hierarchy: field.flag(),
  // An import does not change the limits of downloads, which belong to the instance.
  unique_project_download_limit: field.exported(),
  unique_project_download_limit_interval_in_seconds: field.exported(),
  auto_ban_user_on_excessive_projects_download: field.exported(),
  created_at: field.exported(),
  updated_at: field.exported(),
}

/** Settings of a group that archives store in a separate record (spec administration 6.8). */
export const namespace_settings = relation({
  name: 'namespace_settings',
  ownerKinds: ['group'],
  single: true,
  *records(source) {
    const row = groupRow(source.db, source.owner.id)
    if (row) yield recordOf(FIELDS, row, source)
  },
  count: () => 1,
  importRecord(record, target) {
    const { prevent_sharing_groups_outside_hierarchy: sharing, ...columns } = columnsOf(
      FIELDS,
      record,
      target,
    )
    // A subgroup follows its top-level group.
    const isTopLevel = groupRow(target.db, target.owner.id)?.['parent_id'] === null
    target.update('namespaces', target.owner.id, {
      ...columns,
      ...(isTopLevel && { prevent_sharing_groups_outside_hierarchy: sharing! }),
    })
  },
})
