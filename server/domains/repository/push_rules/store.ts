import type { Selectable, Updateable } from 'kysely'

import { type Database } from '../../../db/database.ts'
import type { PushRulesTable } from '../../../db/schema.gen.ts'
import { table } from '../../../db/table.ts'
import { FOLLOWING, valueOf, type FollowingName, type PushRule } from './types.ts'

/** A push rule as stored. */
export type PushRuleRow = Selectable<PushRulesTable>

export type PushRuleColumns = Updateable<PushRulesTable>

/** The project or group of a push rule. Both are null for the rule of the instance. */
export interface RuleScope {
  readonly project_id: number | null
  readonly group_id: number | null
}

/** Returns the push rule of a scope. */
export function ruleOf(db: Database, { project_id, group_id }: RuleScope): PushRuleRow | undefined {
  if (project_id !== null)
    return db.one<PushRuleRow>('SELECT * FROM push_rules WHERE project_id = ?', project_id)
  if (group_id !== null) return db.one<PushRuleRow>('SELECT * FROM push_rules WHERE group_id = ?', group_id)
  return db.one<PushRuleRow>('SELECT * FROM push_rules WHERE project_id IS NULL AND group_id IS NULL')
}

export const { insert, update, remove } = table('push_rules')

/** Returns the push rule of the instance. Cached until one of its tables changes. */
export function ruleOfInstance(db: Database): PushRuleRow | undefined {
  return db.rememberRows('push_rule:instance', () => ruleOf(db, { project_id: null, group_id: null }))
}

/** Returns the push rule that pushes to a project are checked with. Cached until one of its tables changes. */
export function ruleOfProject(db: Database, projectId: number): PushRule | undefined {
  return db.rememberRows(`push_rule:${projectId}`, () => {
    const row = ruleOf(db, { project_id: projectId, group_id: null })
    if (!row) return undefined
    const instance = ruleOfInstance(db)
    const values = FOLLOWING.map((name) => [name, valueOf(row, name, instance) ?? false])
    return { ...row, ...(Object.fromEntries(values) as Record<FollowingName, boolean>) }
  })
}

/** Makes a project refuse commits without a signature. */
export function requireSignatures(db: Database, projectId: number, now: string): void {
  db.exec(
    `INSERT INTO push_rules (project_id, reject_unsigned_commits, created_at, updated_at) VALUES (?, 1, ?, ?)
     ON CONFLICT (project_id) DO UPDATE SET reject_unsigned_commits = 1, updated_at = excluded.updated_at`,
    projectId,
    now,
    now,
  )
}
