import { MAINTAINER } from '../../../policy/levels.ts'
import { childrenOf, oneOf, requiredText, wholeOf } from './checked.ts'
import * as field from './columns.ts'
import { columnsOf, recordOf, rowsAs, type ColumnMap, type Stored } from './columns.ts'
import { relation, UnusableRecord, type Fields, type Target } from './relation.ts'
import {
  approvalRuleId,
  branchesOfRule,
  countOf,
  idByName,
  idOfOnly,
  levelsOf,
  partsOf,
  rowsOf,
} from './store.ts'

type WithId = Stored & { readonly id: number }
const KINDS = ['merge', 'push', 'unprotect'] as const

type LevelRow = Stored & { readonly kind?: (typeof KINDS)[number] }
const LEVEL_FIELDS: ColumnMap = {
  access_level: field.shown(),
  user_id: field.shown(),
  group_id: field.shown(),
}

/**
 * The levels that are kept: nobody and maintainers, and developers for owners of the outermost group (spec
 * administration 6.5). Levels of single users and groups become those of maintainers.
 */
function keptLevels(records: readonly Fields[], into: Target): number[] {
  const levels = records.map((record) => {
    const level = wholeOf(record, 'access_level') ?? MAINTAINER
    const isKept = level === 0 || level === MAINTAINER || (into.importer.owns_root_group && level === 30)
    return isKept && !namesUserOrGroup(record) ? level : MAINTAINER
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

const BRANCH_RULES: ColumnMap = { code_owner_approval_required: field.flag(), allow_force_push: field.flag() }
const BRANCH_FIELDS: ColumnMap = {
  name: refName,
  ...BRANCH_RULES,
  project_id: field.ownerId(),
  created_at: field.timeOrNow(),
  updated_at: field.updatedAt(),
}

/** Protected branches with their access levels. Access of deploy keys is not exported. */
export const protected_branches = relation({
  name: 'protected_branches',
  of: ['project'],
  *records(from) {
    for (const row of rowsOf<WithId>(from, 'protected_branches')) {
      const levels = levelsOf<LevelRow>(from, 'branch', row.id)
      const lists = KINDS.map((kind) => [
        `${kind}_access_levels`,
        levels.filter((level) => level.kind === kind).map((level) => recordOf(LEVEL_FIELDS, level, from)),
      ])
      yield { ...recordOf(BRANCH_FIELDS, row, from), ...(Object.fromEntries(lists) as Fields) }
    }
  },
  count: (from) => countOf(from, 'protected_branches'),
  importRecord(record, into) {
    const { name } = columnsOf({ name: refName }, record, into) as { name: string }
    const existing = idByName(into.db, 'protected_branches', into.owner, name)
    if (existing !== undefined) {
      into.update('protected_branches', existing, columnsOf(BRANCH_RULES, record, into))
      into.remember('protected_branch', name, existing)
      return
    }
    const row = { project_id: into.owner.id, ...columnsOf(BRANCH_FIELDS, record, into) }
    const id = into.insert('protected_branches', row)
    into.remember('protected_branch', name, id)
    for (const kind of KINDS)
      for (const access_level of keptLevels(childrenOf(record, `${kind}_access_levels`), into))
        into.insert('protected_branch_levels', { protected_branch_id: id, kind, access_level })
  },
})

const TAG_FIELDS: ColumnMap<WithId> = {
  name: refName,
  created_at: field.timeOrNow(),
  updated_at: field.updatedAt(),
  project_id: field.ownerId(),
  create_access_levels: field.written<WithId>((row, from) =>
    levelsOf<LevelRow>(from, 'tag', row.id).map((level) => recordOf(LEVEL_FIELDS, level, from)),
  ),
}

/** Protected tags with their access levels. */
export const protected_tags = relation({
  name: 'protected_tags',
  of: ['project'],
  ...rowsAs('protected_tags', TAG_FIELDS),
  importRecord(record, into) {
    const row = columnsOf(TAG_FIELDS, record, into)
    if (idByName(into.db, 'protected_tags', into.owner, String(row['name'])) !== undefined) return
    const protected_tag_id = into.insert('protected_tags', { project_id: into.owner.id, ...row })
    for (const access_level of keptLevels(childrenOf(record, 'create_access_levels'), into))
      into.insert('protected_tag_levels', { protected_tag_id, access_level })
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
  // Null follows the rule of the instance.
  commit_committer_check: field.maybeFlag(),
  commit_committer_name_check: field.maybeFlag(),
  reject_unsigned_commits: field.maybeFlag(),
  reject_non_dco_commits: field.maybeFlag(),
  max_file_size: field.integer({ min: 0 }, 0),
}
const PUSH_RULE_FIELDS: ColumnMap = {
  ...PUSH_RULES,
  is_sample: field.always(false),
  regexp_uses_re2: field.always(true),
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
  of: ['project'],
  single: true,
  ...rowsAs('push_rules', PUSH_RULE_FIELDS),
  importRecord(record, into) {
    const existing = idOfOnly(into.db, 'push_rules', into.owner)
    if (existing === undefined)
      into.insert('push_rules', {
        project_id: into.owner.id,
        ...columnsOf(PUSH_RULE_FIELDS, record, into),
      })
    else into.update('push_rules', existing, { ...columnsOf(PUSH_RULES, record, into), updated_at: into.now })
  },
})

const RULE_TYPES = ['regular', 'any_approver', 'report_approver'] as const
/** The numbers of these values in some archives. */
const RULE_NUMBERS: Readonly<Record<number, (typeof RULE_TYPES)[number]>> = {
  0: 'regular',
  2: 'report_approver',
  3: 'any_approver',
}
const REPORTS = ['license_scanning', 'code_coverage'] as const

const CHANGEABLE = {
  approvals_required: field.integer({ min: 0, max: 100 }, 0),
  applies_to_all_protected_branches: field.flag(),
}

const APPROVAL_RULE_FIELDS: ColumnMap<WithId> = {
  name: field.required(1024),
  approvals_required: CHANGEABLE.approvals_required,
  rule_type: field.column(ruleTypeOf),
  report_type: {
    write: (row) => row['report_type']!,
    read: (record, _into, name) => {
      if (ruleTypeOf(record) !== 'report_approver') return { report_type: null }
      const report_type = REPORTS.find((report) => report === record[name])
      if (report_type === undefined) throw new UnusableRecord('report_type is not included in the list')
      return { report_type }
    },
  },
  applies_to_all_protected_branches: CHANGEABLE.applies_to_all_protected_branches,
  project_id: field.ownerId(),
  created_at: field.timeOrNow(),
  updated_at: field.updatedAt(),
  approval_project_rules_users: field.written<WithId>((row, from) =>
    partsOf(from, 'approval_rule_users', { key: 'rule_id', id: row.id, order: 'user_id' }).map(
      ({ user_id }) => ({ user_id: user_id! }),
    ),
  ),
  approval_project_rules_protected_branches: field.written<WithId>((row, from) =>
    branchesOfRule(from, row.id).map((branch_name) => ({ branch_name })),
  ),
}

/**
 * The approvals that merging into the project needs. Archives do not contain groups, so rules have only users and
 * branches.
 */
export const approval_rules = relation({
  name: 'approval_rules',
  of: ['project'],
  ...rowsAs('approval_rules', APPROVAL_RULE_FIELDS),
  importRecord(record, into) {
    const name = requiredText(record, 'name', 1024)
    const type = ruleTypeOf(record)
    const changes = columnsOf(CHANGEABLE, record, into)
    if (type === 'any_approver') checkFirst(into)
    const existing = approvalRuleId(into.db, into.owner, type, name)
    if (existing !== undefined) return into.update('approval_rules', existing, changes)
    const row = columnsOf(APPROVAL_RULE_FIELDS, record, into)
    const rule_id = into.insert('approval_rules', { project_id: into.owner.id, ...row })
    for (const user of childrenOf(record, 'approval_project_rules_users')) {
      // An importer who replaces another user does not approve for that user.
      const { id, known: isKnown } = into.person(user['user_id'])
      if (isKnown) into.link('approval_rule_users', { rule_id, user_id: id })
    }
    for (const branch of childrenOf(record, 'approval_project_rules_protected_branches')) {
      const id = into.recall('protected_branch', String(branch['branch_name']))
      if (id !== undefined) into.link('approval_rule_branches', { rule_id, protected_branch_id: id })
    }
  },
})

/** A project has one rule for any approver. */
function checkFirst(into: Target): void {
  if (into.recall('approval_rules', 'any_approver') !== undefined)
    throw new UnusableRecord('any-approver for the project already exists')
  into.remember('approval_rules', 'any_approver', 1)
}

function ruleTypeOf(record: Fields): (typeof RULE_TYPES)[number] {
  const value = record['rule_type']
  if (typeof value === 'number') {
    const ruleType = RULE_NUMBERS[value]
    if (!ruleType) throw new UnusableRecord('rule_type is not included in the list')
    return ruleType
  }
  if (value === 'code_owner') throw new UnusableRecord('rule_type is not included in the list')
  return oneOf(record, 'rule_type', RULE_TYPES, 'regular')
}
