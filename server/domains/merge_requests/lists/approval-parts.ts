import { sql, type RawBuilder, type SqlBool } from 'kysely'

import type { Ctx } from '../../../ctx.ts'
import { checkOnly, linked, never, opposite, type Part } from '../../planning/index.ts'
import { userByUsername } from '../../users/index.ts'
import type { PeopleOrWord } from './params.ts'

/** What can be asked about approvals. */
export interface ApprovalFilter {
  readonly approved?: 'yes' | 'no' | undefined
  readonly approved_by_ids?: PeopleOrWord<number> | undefined
  readonly approved_by_usernames?: PeopleOrWord<string> | undefined
  readonly approver_ids?: PeopleOrWord<number> | undefined
}

/** The filters by approvals. */
export function approvalParts(ctx: Ctx, filter: ApprovalFilter): Part[] {
  const { approved, approved_by_ids, approved_by_usernames: names, approver_ids } = filter
  return [
    ...(approved ? approvedBy(approved === 'yes' ? 'Any' : 'None') : []),
    ...(approved_by_ids === undefined ? [] : approvedBy(approved_by_ids)),
    ...(names === undefined ? [] : approvedByNamed(ctx, names)),
    ...(approver_ids === undefined ? [] : askedToApprove(approver_ids)),
  ]
}

/** Approved by every one of these users, by nobody, or by anybody. */
function approvedBy(who: PeopleOrWord<number>): Part[] {
  const some = linked('approvals', 'merge_request_id', sql`1`)
  if (who === 'Any') return [checkOnly(some.check)]
  if (who === 'None') return [opposite(some)]
  return who.map((id) => linked('approvals', 'merge_request_id', sql`a.user_id = ${id}`))
}

function approvedByNamed(ctx: Ctx, names: PeopleOrWord<string>): Part[] {
  if (typeof names === 'string') return approvedBy(names)
  const users = names.map((name) => userByUsername(ctx.db, name))
  return users.some((user) => !user) ? [never] : approvedBy(users.map((user) => user!.id))
}

/** With every one of these users, somebody, or nobody named in the rules that hold for it. */
function askedToApprove(who: PeopleOrWord<number>): Part[] {
  if (who === 'Any') return [checkOnly(named(sql`1`))]
  if (who === 'None') return [opposite(checkOnly(named(sql`1`)))]
  return who.map((id) => checkOnly(named(sql`u.user_id = ${id}`)))
}

/** Named in a rule of its own, or in one of the project where it has none. */
function named(fits: RawBuilder<unknown>): RawBuilder<SqlBool> {
  const own = sql`SELECT 1 FROM approval_rules o WHERE o.merge_request_id = i.id
    AND o.rule_type IN ('regular', 'any_approver')`
  const inRule = (rule: RawBuilder<unknown>) => sql`EXISTS (
    SELECT 1 FROM approval_rules r JOIN approval_rule_users u ON u.rule_id = r.id WHERE ${rule} AND ${fits})`
  return sql<SqlBool>`(${inRule(sql`r.merge_request_id = i.id`)}
    OR (${inRule(sql`r.project_id = i.project_id`)} AND NOT EXISTS (${own})))`
}
