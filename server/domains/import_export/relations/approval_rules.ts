import { childrenOf, flagOf, oneOf, requiredText, timeOf, wholeOf } from './checked.ts'
import { relation, UnusableRecord, type Fields, type Target } from './relation.ts'

interface RuleToWrite {
  readonly id: number
  readonly name: string
  readonly rule_type: string
  readonly report_type: string | null
  readonly approvals_required: number
  readonly applies_to_all_protected_branches: boolean
  readonly created_at: string
  readonly updated_at: string
}

const TYPES = ['regular', 'any_approver', 'report_approver'] as const
/** How archives may number them. */
const NUMBERS: Readonly<Record<number, (typeof TYPES)[number]>> = {
  0: 'regular',
  2: 'report_approver',
  3: 'any_approver',
}
const REPORTS = ['license_scanning', 'code_coverage'] as const

/** Whose consent merges into this project need. Groups are not in an archive, so rules name people and branches alone. */
export const approval_rules = relation({
  name: 'approval_rules',
  of: ['project'],
  *records({ db, owner }) {
    const rows = db.each<RuleToWrite>(
      'SELECT * FROM approval_rules WHERE project_id = ? ORDER BY id',
      owner.id,
    )
    for (const row of rows)
      yield {
        name: row.name,
        approvals_required: row.approvals_required,
        rule_type: row.rule_type,
        report_type: row.report_type,
        applies_to_all_protected_branches: row.applies_to_all_protected_branches,
        project_id: owner.id,
        created_at: row.created_at,
        updated_at: row.updated_at,
        approval_project_rules_users: db.many<Fields>(
          'SELECT user_id FROM approval_rule_users WHERE rule_id = ? ORDER BY user_id',
          row.id,
        ),
        approval_project_rules_protected_branches: db.many<Fields>(
          `SELECT b.name AS branch_name FROM approval_rule_branches r
           JOIN protected_branches b ON b.id = r.protected_branch_id WHERE r.rule_id = ? ORDER BY b.id`,
          row.id,
        ),
      }
  },
  count: ({ db, owner }) =>
    db.one<{ n: number }>('SELECT count(*) AS n FROM approval_rules WHERE project_id = ?', owner.id)!.n,
  take(record, into) {
    const name = requiredText(record, 'name', 1024)
    const rule_type = typeOf(record)
    const columns = {
      approvals_required: wholeOf(record, 'approvals_required', { min: 0, max: 100 }) ?? 0,
      applies_to_all_protected_branches: flagOf(record, 'applies_to_all_protected_branches'),
    }
    if (rule_type === 'any_approver') noteOneForAll(into)
    // Of everybody there is one rule, whatever it is called.
    const known = into.db.one<{ id: number }>(
      `SELECT id FROM approval_rules WHERE project_id = ? AND rule_type = ?
       AND (name = ? OR rule_type = 'any_approver')`,
      into.owner.id,
      rule_type,
      name,
    )
    if (known) return into.update('approval_rules', known.id, columns)
    const report = REPORTS.find((one) => one === record['report_type']) ?? null
    if (rule_type === 'report_approver' && report === null)
      throw new UnusableRecord('report_type is not included in the list')
    const created_at = timeOf(record, 'created_at') ?? into.now
    const rule_id = into.insert('approval_rules', {
      project_id: into.owner.id,
      name,
      rule_type,
      report_type: rule_type === 'report_approver' ? report : null,
      ...columns,
      created_at,
      updated_at: timeOf(record, 'updated_at') ?? created_at,
    })
    for (const user of childrenOf(record, 'approval_project_rules_users')) {
      // Somebody who stands in for another person does not approve for them.
      const { id, known: isKnown } = into.person(user['user_id'])
      if (isKnown) into.link('approval_rule_users', { rule_id, user_id: id })
    }
    for (const branch of childrenOf(record, 'approval_project_rules_protected_branches')) {
      const id = into.recall('protected_branch', String(branch['branch_name']))
      if (id !== undefined) into.link('approval_rule_branches', { rule_id, protected_branch_id: id })
    }
  },
})

function noteOneForAll(into: Target): void {
  if (into.recall('approval_rules', 'any_approver') !== undefined)
    throw new UnusableRecord('any-approver for the project already exists')
  into.remember('approval_rules', 'any_approver', 1)
}

function typeOf(record: Fields): (typeof TYPES)[number] {
  const value = record['rule_type']
  if (typeof value === 'number') {
    const found = NUMBERS[value]
    if (!found) throw new UnusableRecord('rule_type is not included in the list')
    return found
  }
  if (value === 'code_owner') throw new UnusableRecord('rule_type is not included in the list')
  return oneOf(record, 'rule_type', TYPES, 'regular')
}
