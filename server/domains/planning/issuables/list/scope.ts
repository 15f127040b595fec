import { sql, type RawBuilder, type SqlBool } from 'kysely'

import type { Ctx } from '../../../../ctx.ts'
import { jsonList } from '../../../../db/database.ts'
import { isAble } from '../../../../policy/ability.ts'
import { seesAll } from '../../../../policy/actor.ts'
import { GUEST, REPORTER } from '../../../../policy/levels.ts'
import { projectsOfMember } from '../../../members/index.ts'
import { project as scope, projectAbilities, type Project } from '../../../projects/index.ts'
import type { IssuableName } from '../issuable.ts'
import { checkOnly, never, type Condition, type Part } from './part.ts'

/** Where a list looks: in a project, in the projects of a group and all below it, or everywhere. */
export type IssuableScope =
  | { readonly project: Project }
  | { readonly namespace_ids: readonly number[]; readonly non_archived?: boolean | undefined }
  | { readonly non_archived?: boolean | undefined }

/** Projects (alias `p`) whose issues or merge requests the actor may read, as the abilities say it of one project. */
export function readableProjects(ctx: Pick<Ctx, 'actor' | 'now'>, kind: IssuableName): Condition {
  const { actor } = ctx
  const [column, from] =
    kind === 'Issue' ? (['issues', GUEST] as const) : (['merge_requests', REPORTER] as const)
  const level = sql.ref(`p.${column}_access_level`)
  if (seesAll(actor)) return sql<SqlBool>`${level} <> 'disabled'`
  const isInsider = actor.kind === 'user' && !actor.external
  const open = isInsider ? sql`p.visibility IN ('public', 'internal')` : sql`p.visibility = 'public'`
  return sql<SqlBool>`((${level} = 'enabled' AND +${open}) OR
    (${level} <> 'disabled' AND ${projectsOfMember(ctx, from, 'check')}))`
}

/** The parts that keep a list to its place, and to what the actor may see there. */
export function placeParts(ctx: Ctx, kind: IssuableName, scope: IssuableScope): Part[] {
  if ('project' in scope) return inProject(ctx, kind, scope.project)
  const conditions = [readableProjects(ctx, kind)]
  if (scope.non_archived) conditions.push(sql<SqlBool>`p.archived = 0`)
  const where = (more: readonly Condition[]) => sql.join([...more, ...conditions], sql` AND `)
  const own = sql<SqlBool>`p.id = i.project_id`
  const visible = confidentialityIn(ctx, kind)
  if (!('namespace_ids' in scope)) {
    return [checkOnly(sql<SqlBool>`EXISTS (SELECT 1 FROM projects p WHERE ${where([own])})`), ...visible]
  }
  const inGroup = sql<SqlBool>`p.namespace_id IN (SELECT value FROM json_each(${jsonList(scope.namespace_ids)}))`
  const plain = sql<SqlBool>`+${inGroup}`
  return [
    {
      check: sql<SqlBool>`EXISTS (SELECT 1 FROM projects p WHERE ${where([own, plain])})`,
      find: sql<SqlBool>`i.project_id IN (SELECT p.id FROM projects p WHERE ${where([inGroup])})`,
    },
    ...visible,
  ]
}

function inProject(ctx: Ctx, kind: IssuableName, project: Project): Part[] {
  const { read_issues, read_merge_requests } = projectAbilities
  const ability = kind === 'Issue' ? read_issues : read_merge_requests
  if (!isAble(ctx, scope, ability, project)) return [never]
  const mine = {
    check: sql<SqlBool>`+i.project_id = ${project.id}`,
    find: sql<SqlBool>`i.project_id = ${project.id}`,
  }
  if (kind === 'MergeRequest' || seesAll(ctx.actor) || scope.roleOf(ctx, project) >= REPORTER) return [mine]
  return [mine, checkOnly(notConfidential(ctx, sql`0`))]
}

/** Over several projects: who sees the confidential ones is asked of each row's project. */
function confidentialityIn(ctx: Ctx, kind: IssuableName): Part[] {
  if (kind === 'MergeRequest' || seesAll(ctx.actor)) return []
  return [checkOnly(visibleIssues(ctx))]
}

/** Issues (alias `i`) that are not confidential, or that the actor may see although they are (spec core 6.3). */
export function visibleIssues(ctx: Pick<Ctx, 'actor' | 'now'>): Condition {
  if (seesAll(ctx.actor)) return sql<SqlBool>`1`
  const trusted = sql`EXISTS (SELECT 1 FROM projects p WHERE p.id = i.project_id
    AND ${projectsOfMember(ctx, REPORTER, 'check')})`
  return notConfidential(ctx, trusted)
}

function notConfidential({ actor }: Pick<Ctx, 'actor'>, trusted: RawBuilder<unknown>): Condition {
  if (actor.kind !== 'user') return sql<SqlBool>`i.confidential = 0`
  return sql<SqlBool>`(i.confidential = 0 OR +i.author_id = ${actor.id} OR EXISTS (
    SELECT 1 FROM issue_assignees me WHERE me.issue_id = i.id AND me.user_id = ${actor.id}) OR ${trusted})`
}
