import { sql, type RawBuilder, type SqlBool } from 'kysely'

import type { Ctx } from '../../../../ctx.ts'
import {
  type IssuableFilter,
  type NegatedFilter,
  checkOnly,
  type Part,
  never,
  type Condition,
} from './filter.ts'
import { due, weighing, type LabelIds, type MilestoneSource } from './store-parts.ts'
import { jsonList } from '../../../../db/database.ts'
import { isAble } from '../../../../policy/ability.ts'
import { seesAll } from '../../../../policy/actor.ts'
import { REPORTER } from '../../../../policy/levels.ts'
import { projectsOfMember, projectsWithFeature } from '../../../members/index.ts'
import { project as scope, projectAbilities, type Project } from '../../../projects/index.ts'
import type { IssuableName } from '../issuable.ts'

/** Selects the labels with a title. In a project these are only the labels that the project can use. */
export function labelIdsIn(scope: IssuableScope): LabelIds {
  if (!('project' in scope)) return (title) => sql`SELECT l.id FROM labels l WHERE l.title = ${title}`
  const { id, lineage } = scope.project
  return (title) => sql`SELECT l.id FROM labels l WHERE l.project_id = ${id} AND l.title = ${title}
    UNION ALL SELECT l.id FROM labels l WHERE l.title = ${title}
      AND l.group_id IN (SELECT value FROM json_each(${lineage}))`
}

export function milestonesIn(scope: IssuableScope): MilestoneSource {
  if (!('project' in scope)) return sql`milestones`
  const { id, lineage } = scope.project
  return sql`(SELECT * FROM milestones WHERE project_id = ${id}
    UNION ALL SELECT * FROM milestones WHERE group_id IN (SELECT value FROM json_each(${lineage})))`
}

export function timeParts(filter: IssuableFilter): Part[] {
  const parts: Part[] = []
  const add = (value: string | undefined, condition: RawBuilder<SqlBool>): void => {
    if (value !== undefined) parts.push(checkOnly(condition))
  }
  add(filter.created_after, sql<SqlBool>`i.created_at >= ${filter.created_after}`)
  add(filter.created_before, sql<SqlBool>`i.created_at <= ${filter.created_before}`)
  add(filter.updated_after, sql<SqlBool>`i.updated_at >= ${filter.updated_after}`)
  add(filter.updated_before, sql<SqlBool>`i.updated_at <= ${filter.updated_before}`)
  return parts
}

export function issueParts(ctx: Ctx, filter: IssuableFilter): Part[] {
  const parts: Part[] = []
  const { confidential, issue_type, health_status } = filter
  if (filter.weight !== undefined) parts.push(weighing(filter.weight))
  if (confidential !== undefined)
    parts.push(checkOnly(sql<SqlBool>`i.confidential = ${confidential ? 1 : 0}`))
  if (issue_type) parts.push(checkOnly(sql<SqlBool>`i.issue_type = ${issue_type}`))
  if (health_status) parts.push(checkOnly(sql<SqlBool>`i.health_status = ${health_status}`))
  const dated = filter.due_date === undefined ? undefined : due(ctx, filter.due_date)
  return dated ? [...parts, dated] : parts
}

export function negatedIssueParts({ weight, issue_type }: NegatedFilter): Part[] {
  const parts: Part[] = []
  if (weight !== undefined) parts.push(checkOnly(sql<SqlBool>`i.weight IS ${weight}`))
  if (issue_type) parts.push(checkOnly(sql<SqlBool>`i.issue_type = ${issue_type}`))
  return parts
}

/** Makes a filter false instead of null for a column without a value. */
export function falseForNull({ check }: Part): Part {
  return { check: sql<SqlBool>`coalesce(${check}, 0)` }
}

/** The records that a list covers: of one project, of the projects in a group and its subgroups, or of the instance. */
export type IssuableScope =
  | { readonly project: Project }
  | { readonly namespace_ids: readonly number[]; readonly non_archived?: boolean | undefined }
  | { readonly non_archived?: boolean | undefined }

/** Selects projects (alias `p`) where the actor may read issues or merge requests. */
export function readableProjects(viewer: Pick<Ctx, 'actor' | 'now'>, kind: IssuableName): Condition {
  return projectsWithFeature(viewer, kind === 'Issue' ? 'issues' : 'merge_requests')
}

/** Returns the filters for the scope of the list and for what the actor may see there. */
export function scopeParts(ctx: Ctx, kind: IssuableName, scope: IssuableScope): Part[] {
  if ('project' in scope) return inProject(ctx, kind, scope.project)
  const conditions = [readableProjects(ctx, kind)]
  if (scope.non_archived) conditions.push(sql<SqlBool>`p.archived = 0`)
  const where = (more: readonly Condition[]) => sql.join([...more, ...conditions], sql` AND `)
  const condition = sql<SqlBool>`p.id = i.project_id`
  const visible = confidentialityIn(ctx, kind)
  if (!('namespace_ids' in scope)) {
    return [
      checkOnly(sql<SqlBool>`EXISTS (SELECT 1 FROM projects p WHERE ${where([condition])})`),
      ...visible,
    ]
  }
  const inGroup = sql<SqlBool>`p.namespace_id IN (SELECT value FROM json_each(${jsonList(scope.namespace_ids)}))`
  const plain = sql<SqlBool>`+${inGroup}`
  return [
    {
      check: sql<SqlBool>`EXISTS (SELECT 1 FROM projects p WHERE ${where([condition, plain])})`,
      find: sql<SqlBool>`i.project_id IN (SELECT p.id FROM projects p WHERE ${where([inGroup])})`,
    },
    ...visible,
  ]
}

function inProject(ctx: Ctx, kind: IssuableName, project: Project): Part[] {
  const { read_issues, read_merge_requests } = projectAbilities
  const ability = kind === 'Issue' ? read_issues : read_merge_requests
  if (!isAble(ctx, scope, ability, project)) return [never]
  const membership = {
    check: sql<SqlBool>`+i.project_id = ${project.id}`,
    find: sql<SqlBool>`i.project_id = ${project.id}`,
  }
  if (kind === 'MergeRequest' || seesAll(ctx.actor) || scope.roleOf(ctx, project) >= REPORTER)
    return [membership]
  return [membership, checkOnly(notConfidential(ctx, sql`0`))]
}

/** For lists over several projects: tests the actor's access to confidential issues for each row. */
function confidentialityIn(ctx: Ctx, kind: IssuableName): Part[] {
  if (kind === 'MergeRequest' || seesAll(ctx.actor)) return []
  return [checkOnly(visibleIssues(ctx))]
}

/** Selects issues (alias `i`) that are not confidential, or that the actor may see (spec core 6.3). */
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
