import { MAINTAINER } from '../../../policy/levels.ts'
import { childrenOf, choiceOf, requiredText, integerOf } from './checked.ts'
import * as field from './columns.ts'
import { columnsOf, recordOf, rowsAs, type ColumnMap, type StoredRow } from './columns.ts'
import { relation, UnusableRecord, type Fields, type Target } from './relation.ts'
import {
  approvalRuleId,
  branchesOfRule,
  countOf,
  idByName,
  idOfProject,
  levelsOf,
  dependentRows,
  rowsOf,
} from './store.ts'

type WithId = StoredRow & { readonly id: number }
const KINDS = ['merge', 'push', 'unprotect'] as const

type LevelRow = StoredRow & { readonly kind?: (typeof KINDS)[number] }
const LEVEL_FIELDS: ColumnMap = {
  access_level: field.exported(),
  user_id: field.exported(),
  group_id: field.exported(),
}

/**
 * The access levels to import: nobody and maintainers, and developers if the importer owns the top-level group (spec
 * administration 6.5). Other levels, and access of single users and groups, become the level of maintainers.
 */
function importedLevels(records: readonly Fields[], target: Target): number[] {
  const levels = records.map((record) => {
    const level = integerOf(record, 'access_level') ?? MAINTAINER
    const isImported =
      level === 0 || level === MAINTAINER || (target.importer.owns_root_group && level === 30)
    return isImported && !namesUserOrGroup(record) ? level : MAINTAINER
  })
  return [...new Set(levels)]
}

function namesUserOrGroup(record: Fields): boolean {
  return typeof record['user_id'] === 'number' || typeof record['group_id'] === 'number'
}

const refName = field.column((record, name) => {
  const value = requiredText(record, name, 1024)
  if (/[\0-\x20\x7f~^:?[\\]|\.\./.test(value)) throw new UnusableRecord('name is invalid')
  return value
})

const BRANCH_SETTINGS: ColumnMap = {
  code_owner_approval_required: field.flag(),
  allow_force_push: field.flag(),
}
const BRANCH_FIELDS: ColumnMap = {
  name: refName,
  ...BRANCH_SETTINGS,
  project_id: field.ownerId(),
  created_at: field.timeOrNow(),
  updated_at: field.updatedAt(),
}

/** Protected branches with their access levels. Access of deploy keys is not exported. */
export const protected_branches = relation({
  name: 'protected_branches',
  ownerKinds: ['project'],
  *records(source) {
    for (const row of rowsOf<WithId>(source, 'protected_branches')) {
      const levels = levelsOf<LevelRow>(source, 'branch', row.id)
      const lists = KINDS.map((kind) => [
        `${kind}_access_levels`,
        levels.filter((level) => level.kind === kind).map((level) => recordOf(LEVEL_FIELDS, level, source)),
      ])
      yield { ...recordOf(BRANCH_FIELDS, row, source), ...(Object.fromEntries(lists) as Fields) }
    }
  },
  count: (source) => countOf(source, 'protected_branches'),
  importRecord(record, target) {
    const { name } = columnsOf({ name: refName }, record, target) as { name: string }
    const existing = idByName(target.db, 'protected_branches', target.owner, name)
    if (existing !== undefined) {
      target.update('protected_branches', existing, columnsOf(BRANCH_SETTINGS, record, target))
      target.remember('protected_branch', name, existing)
      return
    }
    const row = { project_id: target.owner.id, ...columnsOf(BRANCH_FIELDS, record, target) }
    const id = target.insert('protected_branches', row)
    target.remember('protected_branch', name, id)
    for (const kind of KINDS)
      for (const access_level of importedLevels(childrenOf(record, `${kind}_access_levels`), target))
        target.insert('protected_branch_levels', { protected_branch_id: id, kind, access_level })
  },
})

const TAG_FIELDS: ColumnMap<WithId> = {
  name: refName,
  created_at: field.timeOrNow(),
  updated_at: field.updatedAt(),
  project_id: field.ownerId(),
  create_access_levels: field.computed<WithId>((row, source) =>
    levelsOf<LevelRow>(source, 'tag', row.id).map((level) => recordOf(LEVEL_FIELDS, level, source)),
  ),
}

/** Protected tags with their access levels. */
export const protected_tags = relation({
  name: 'protected_tags',
  ownerKinds: ['project'],
  ...rowsAs('protected_tags', TAG_FIELDS),
  importRecord(record, target) {
    const row = columnsOf(TAG_FIELDS, record, target)
    if (idByName(target.db, 'protected_tags', target.owner, String(row['name'])) !== undefined) return
    const protected_tag_id = target.insert('protected_tags', { project_id: target.owner.id, ...row })
    for (const access_level of importedLevels(childrenOf(record, 'create_access_levels'), target))
      target.insert('protected_tag_levels', { protected_tag_id, access_level })
  },
})

const MAX_PATTERN = 511

const PUSH_RULES: ColumnMap = {
  commit_message_regex: field.text(MAX_PATTERN),
  commit_message_negative_regex: field.text(MAX_PATTERN),
  branch_name_regex: field.text(MAX_PATTERN),
  author_email_regex: field.text(MAX_PATTERN),
  file_name_regex: field.text(MAX_PATTERN),
  deny_delete_tag: field.flag(),
  member_check: field.flag(),
  prevent_secrets: field.flag(),
  // Null means that the rule of the instance applies.
  commit_committer_check: field.optionalFlag(),
  commit_committer_name_check: field.optionalFlag(),
  reject_unsigned_commits: field.optionalFlag(),
  reject_non_dco_commits: field.optionalFlag(),
  max_file_size: field.integer({ min: 0 }, 0),
}
const PUSH_RULE_FIELDS: ColumnMap = {
  ...PUSH_RULES,
  is_sample: field.constant(false),
  regexp_uses_re2: field.constant(true),
  project_id: field.ownerId(),
  created_at: field.timeOrNow(),
  updated_at: field.updatedAt(),
}

/**
 * The push rules. A new project may already have a copy of the push rules of its group, and the import changes that
 * row.
 */
export const push_rule = relation({
  name: 'push_rule',
  ownerKinds: ['project'],
  single: true,
  ...rowsAs('push_rules', PUSH_RULE_FIELDS),
  importRecord(record, target) {
    const existing = idOfProject(target.db, 'push_rules', target.owner)
    if (existing === undefined)
      target.insert('push_rules', {
        project_id: target.owner.id,
        ...columnsOf(PUSH_RULE_FIELDS, record, target),
      })
    else
      target.update('push_rules', existing, {
        ...columnsOf(PUSH_RULES, record, target),
        updated_at: target.now,
      })
  },
})

const RULE_TYPES = ['regular', 'any_approver', 'report_approver'] as const
/** The numbers of these types in some archives. */
const RULE_NUMBERS: Readonly<Record<number, (typeof RULE_TYPES)[number]>> = {
  0: 'regular',
  2: 'report_approver',
  3: 'any_approver',
}
const REPORTS = ['license_scanning', 'code_coverage'] as const

const UPDATED_FIELDS = {
  approvals_required: field.integer({ min: 0, max: 100 }, 0),
  applies_to_all_protected_branches: field.flag(),
}

const APPROVAL_RULE_FIELDS: ColumnMap<WithId> = {
  name: field.required(1024),
  approvals_required: UPDATED_FIELDS.approvals_required,
  rule_type: field.column(ruleTypeOf),
  report_type: {
    write: (row) => row['report_type']!,
    read: (record, _target, name) => {
      if (ruleTypeOf(record) !== 'report_approver') return { report_type: null }
      const report_type = REPORTS.find((report) => report === record[name])
      if (report_type === undefined) throw new UnusableRecord('report_type is not included in the list')
      return { report_type }
    },
  },
  applies_to_all_protected_branches: UPDATED_FIELDS.applies_to_all_protected_branches,
  project_id: field.ownerId(),
  created_at: field.timeOrNow(),
  updated_at: field.updatedAt(),
  approval_project_rules_users: field.computed<WithId>((row, source) =>
    dependentRows(source, 'approval_rule_users', { key: 'rule_id', id: row.id, order: 'user_id' }).map(
      ({ user_id }) => ({ user_id: user_id! }),
    ),
  ),
  approval_project_rules_protected_branches: field.computed<WithId>((row, source) =>
    branchesOfRule(source, row.id).map((branch_name) => ({ branch_name })),
  ),
}

/**
 * The approval rules of the project, with users and branches. Archives do not contain groups.
 */
export const approval_rules = relation({
  name: 'approval_rules',
  ownerKinds: ['project'],
  ...rowsAs('approval_rules', APPROVAL_RULE_FIELDS),
  importRecord(record, target) {
    const name = requiredText(record, 'name', 1024)
    const type = ruleTypeOf(record)
    const changes = columnsOf(UPDATED_FIELDS, record, target)
    if (type === 'any_approver') checkSingleAnyApprover(target)
    const existing = approvalRuleId(target.db, target.owner, type, name)
    if (existing !== undefined) return target.update('approval_rules', existing, changes)
    const row = columnsOf(APPROVAL_RULE_FIELDS, record, target)
    const rule_id = target.insert('approval_rules', { project_id: target.owner.id, ...row })
    for (const user of childrenOf(record, 'approval_project_rules_users')) {
      // The importer does not become an approver in place of a user that is not found.
      const { id, isMatched } = target.person(user['user_id'])
      if (isMatched) target.link('approval_rule_users', { rule_id, user_id: id })
    }
    for (const branch of childrenOf(record, 'approval_project_rules_protected_branches')) {
      const id = target.recall('protected_branch', String(branch['branch_name']))
      if (id !== undefined) target.link('approval_rule_branches', { rule_id, protected_branch_id: id })
    }
  },
})

/** Throws UnusableRecord for a second rule for any approver, because a project has only one. */
function checkSingleAnyApprover(target: Target): void {
  if (target.recall('approval_rules', 'any_approver') !== undefined)
    throw new UnusableRecord('any-approver for the project already exists')
  target.remember('approval_rules', 'any_approver', 1)
}

function ruleTypeOf(record: Fields): (typeof RULE_TYPES)[number] {
  const value = record['rule_type']
  if (typeof value === 'number') {
    const ruleType = RULE_NUMBERS[value]
    if (!ruleType) throw new UnusableRecord('rule_type is not included in the list')
    return ruleType
  }
  if (value === 'code_owner') throw new UnusableRecord('rule_type is not included in the list')
  return choiceOf(record, 'rule_type', RULE_TYPES, 'regular')
}
