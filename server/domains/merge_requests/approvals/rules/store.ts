import { sql, type Insertable, type Updateable } from 'kysely'

import type { Ctx } from '../../../../ctx.ts'
import { jsonList, q, type Database } from '../../../../db/database.ts'
import { selectAll } from '../../../../db/lists.ts'
import type { ApprovalRulesTable } from '../../../../db/schema.gen.ts'
import type { Group } from '../../../groups/index.ts'
import { visibleGroups } from '../../../members/index.ts'
import type { Rule } from './rule.ts'

type Lists = 'user_ids' | 'group_ids' | 'branch_ids'
type RuleRow = Omit<Rule, Lists>

/** The lists of a rule. */
export type RuleLists = Partial<Pick<Rule, Lists>>

const TABLES = {
  user_ids: ['approval_rule_users', 'user_id'],
  group_ids: ['approval_rule_groups', 'group_id'],
  branch_ids: ['approval_rule_branches', 'protected_branch_id'],
} as const

/** Lists the rules of a project, oldest first. Cached until the next write. */
export function ofProject(db: Database, projectId: number): readonly Rule[] {
  return db.remember(`approval-rules:${projectId}`, () =>
    withLists(
      db,
      db.many<RuleRow>('SELECT * FROM approval_rules WHERE project_id = ? ORDER BY id', projectId),
    ),
  )
}

const keyOf = (requestId: number): string => `approval-rules-of-request:${requestId}`

/** Finds the merge requests without rules with one query, so that `ofRequest` can use the cache. */
export function cacheMissingRules(db: Database, requestIds: readonly number[]): void {
  const rows = db.many<{ id: number }>(
    `SELECT DISTINCT merge_request_id AS id FROM approval_rules
     WHERE merge_request_id IN (SELECT value FROM json_each(?))`,
    jsonList(requestIds),
  )
  const idsWithRules = new Set(rows.map((row) => row.id))
  for (const id of requestIds) if (!idsWithRules.has(id)) db.remember(keyOf(id), () => [])
}

/** Lists the rules of a merge request, also frozen ones, oldest first. Cached until the next write. */
export function ofRequest(db: Database, requestId: number): readonly Rule[] {
  return db.remember(keyOf(requestId), () =>
    withLists(
      db,
      db.many<RuleRow>('SELECT * FROM approval_rules WHERE merge_request_id = ? ORDER BY id', requestId),
    ),
  )
}

/** The query that reads all three lists of rules. */
const LISTS = (Object.keys(TABLES) as Lists[])
  .map((list) => {
    const [table, column] = TABLES[list]
    return `SELECT '${list}' AS list, rule_id, ${column} AS id FROM ${table} WHERE rule_id IN (SELECT value FROM json_each(?))`
  })
  .join(' UNION ALL ')

function withLists(db: Database, rows: readonly RuleRow[]): Rule[] {
  if (rows.length === 0) return []
  const ids = jsonList(rows.map((row) => row.id))
  const entries = db.many<{ list: Lists; rule_id: number; id: number }>(LISTS, ids, ids, ids)
  const byRule = Map.groupBy(entries, (entry) => entry.rule_id)
  return rows.map((row) => {
    const ruleEntries = byRule.get(row.id) ?? []
    const idsOf = (list: Lists) => ruleEntries.filter((entry) => entry.list === list).map((entry) => entry.id)
    return {
      ...row,
      user_ids: idsOf('user_ids'),
      group_ids: idsOf('group_ids'),
      branch_ids: idsOf('branch_ids'),
    }
  })
}

/** Inserts a rule with its lists and returns its ID. Throws `UniqueViolation` when the project has the name. */
export function insert(db: Database, row: Insertable<ApprovalRulesTable>, lists: RuleLists = {}): number {
  const { id } = db.run(q.insertInto('approval_rules').values(row))
  setLists(db, id, lists)
  return id
}

/** Updates a rule and replaces the given lists. Throws `UniqueViolation` as `insert` does. */
export function update(
  db: Database,
  id: number,
  changes: Updateable<ApprovalRulesTable>,
  lists: RuleLists = {},
): void {
  db.run(q.updateTable('approval_rules').set(changes).where('id', '=', id))
  setLists(db, id, lists)
}

function setLists(db: Database, id: number, lists: RuleLists): void {
  for (const list of ['user_ids', 'group_ids', 'branch_ids'] as const) {
    const ids = lists[list]
    if (!ids) continue
    const [table, column] = TABLES[list]
    db.exec(`DELETE FROM ${table} WHERE rule_id = ?`, id)
    db.exec(
      `INSERT INTO ${table} (rule_id, ${column}) SELECT ?, value FROM json_each(?)`,
      id,
      jsonList([...new Set(ids)]),
    )
  }
}

/** Deletes a rule. Merge requests keep their copies. */
export function remove(db: Database, id: number): void {
  db.exec('DELETE FROM approval_rules WHERE id = ?', id)
}

/** Saves the users who approved for a frozen rule. */
export function setApprovers(db: Database, ruleId: number, userIds: readonly number[]): void {
  db.exec(
    'INSERT INTO approval_rule_approvers (rule_id, user_id) SELECT ?, value FROM json_each(?)',
    ruleId,
    jsonList(userIds),
  )
}

/** Returns the users who approved for the frozen rules of a merge request, by rule. */
export function frozenApprovers(db: Database, requestId: number): Map<number, number[]> {
  const rows = db.many<{ rule_id: number; user_id: number }>(
    `SELECT a.rule_id, a.user_id FROM approval_rules r JOIN approval_rule_approvers a ON a.rule_id = r.id
     WHERE r.merge_request_id = ? AND r.frozen = 1 ORDER BY a.user_id`,
    requestId,
  )
  const byRule = Map.groupBy(rows, (row) => row.rule_id)
  return new Map([...byRule].map(([id, matches]) => [id, matches.map((row) => row.user_id)]))
}

/** Returns the IDs of the direct members of groups, by group. Skips memberships that have expired by `today`. */
export function membersOf(db: Database, groupIds: readonly number[], today: string): Map<number, number[]> {
  if (groupIds.length === 0) return new Map()
  const rows = db.many<{ group_id: number; user_id: number }>(
    `SELECT m.namespace_id AS group_id, m.user_id FROM members m
     WHERE m.namespace_id IN (SELECT value FROM json_each(?)) AND (m.expires_at IS NULL OR m.expires_at > ?)
     ORDER BY m.user_id`,
    jsonList(groupIds),
    today,
  )
  const byGroup = Map.groupBy(rows, (row) => row.group_id)
  return new Map([...byGroup].map(([id, matches]) => [id, matches.map((row) => row.user_id)]))
}

/** Returns the groups with these IDs that the actor may see, by ID. */
export function visibleGroupsAmong(ctx: Pick<Ctx, 'db' | 'actor' | 'now'>, ids: readonly number[]): Group[] {
  return selectAll(
    ctx.db,
    sql<Group>`SELECT n.* FROM namespaces n WHERE n.id IN (SELECT value FROM json_each(${jsonList(ids)}))
      AND n.kind = 'group' AND ${visibleGroups(ctx)} ORDER BY n.id`,
  )
}
