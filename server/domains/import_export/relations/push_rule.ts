import { flagOf, textOf, timeOf, wholeOf } from './checked.ts'
import { relation, type Fields, type Json, type Row } from './relation.ts'

const PATTERNS = [
  'commit_message_regex',
  'commit_message_negative_regex',
  'branch_name_regex',
  'author_email_regex',
  'file_name_regex',
] as const
const FLAGS = ['deny_delete_tag', 'member_check', 'prevent_secrets'] as const
/** Without an answer of their own they follow the rule of the instance. */
const MAYBE = [
  'commit_committer_check',
  'commit_committer_name_check',
  'reject_unsigned_commits',
  'reject_non_dco_commits',
] as const
const MAX_PATTERN = 511

const truth = (value: Json | undefined): boolean | null =>
  value === null || value === undefined ? null : value === true

/** What pushes have to be like. A new project may have taken a rule over from above: that row is changed. */
export const push_rule = relation({
  name: 'push_rule',
  of: ['project'],
  single: true,
  *records({ db, owner }) {
    const row = db.one<Record<string, string | number | boolean | null>>(
      'SELECT * FROM push_rules WHERE project_id = ?',
      owner.id,
    )
    if (!row) return
    const record: Record<string, Json> = {}
    for (const name of PATTERNS) record[name] = row[name] ?? null
    for (const name of FLAGS) record[name] = row[name] === true
    for (const name of MAYBE) record[name] = truth(row[name])
    yield {
      ...record,
      max_file_size: row['max_file_size'] ?? 0,
      is_sample: false,
      regexp_uses_re2: true,
      project_id: owner.id,
      created_at: row['created_at'] ?? null,
      updated_at: row['updated_at'] ?? null,
    }
  },
  count: ({ db, owner }) =>
    db.one<{ n: number }>('SELECT count(*) AS n FROM push_rules WHERE project_id = ?', owner.id)!.n,
  take(record, into) {
    const columns = columnsOf(record)
    const known = into.db.one<{ id: number }>('SELECT id FROM push_rules WHERE project_id = ?', into.owner.id)
    if (known) return into.update('push_rules', known.id, { ...columns, updated_at: into.now })
    const created_at = timeOf(record, 'created_at') ?? into.now
    const updated_at = timeOf(record, 'updated_at') ?? created_at
    into.insert('push_rules', { project_id: into.owner.id, ...columns, created_at, updated_at })
  },
})

function columnsOf(record: Fields): Row {
  const columns: Record<string, string | number | boolean | null> = {}
  for (const name of PATTERNS) columns[name] = textOf(record, name, MAX_PATTERN)
  for (const name of FLAGS) columns[name] = flagOf(record, name)
  for (const name of MAYBE) columns[name] = typeof record[name] === 'boolean' ? flagOf(record, name) : null
  columns['max_file_size'] = wholeOf(record, 'max_file_size', { min: 0 }) ?? 0
  return columns
}
