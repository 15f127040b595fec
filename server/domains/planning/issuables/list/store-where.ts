import { sql, type RawBuilder, type SqlBool } from 'kysely'

import type { Ctx } from '../../../../ctx.ts'
import {
  type IssuableFilter,
  type NegatedFilter,
  checkOnly,
  type SqlFilter,
  matchNothing,
  type Condition,
} from './filter.ts'
import { withDueDate, withWeight, type LabelIds, type MilestoneSource } from './store-filters.ts'
import { jsonList } from '../../../../db/database.ts'
import { hasAbility } from '../../../../policy/ability.ts'
import { seesAll } from '../../../../policy/actor.ts'
import { REPORTER } from '../../../../policy/levels.ts'
import { projectsOfMember, projectsWithFeature } from '../../../members/index.ts'
import { project as scope, projectAbilities, type Project } from '../../../projects/index.ts'
import type { IssuableName } from '../issuable.ts'

/** Selects the labels with a title. In a list of a project, only the labels that the project can use. */
export function labelIdsIn(scope: IssuableScope): LabelIds {
  if (!('project' in scope)) return (title) => sql`SELECT l.id FROM labels l WHERE l.title = ${title}`
  const { id, lineage } = scope.project
  return (title) => sql`SELECT l.id FROM labels l WHERE l.project_id = ${id} AND l.title = ${title}
    UNION ALL SELECT l.id FROM labels l WHERE l.title = ${title}
      AND l.group_id IN (SELECT value FROM json_each(${lineage}))`
}

/** Selects the milestones that the records of a list can have. */
export function milestonesIn(scope: IssuableScope): MilestoneSource {
  if (!('project' in scope)) return sql`milestones`
  const { id, lineage } = scope.project
  return sql`(SELECT * FROM milestones WHERE project_id = ${id}
    UNION ALL SELECT * FROM milestones WHERE group_id IN (SELECT value FROM json_each(${lineage})))`
}

export function timeFilters(filter: IssuableFilter): SqlFilter[] {
  const filters: SqlFilter[] = []
  const add = (value: string | undefined, condition: RawBuilder<SqlBool>): void => {
    if (value !== undefined) filters.push(checkOnly(condition))
  }
  add(filter.created_after, sql<SqlBool>`i.created_at >= ${filter.created_after}`)
  add(filter.created_before, sql<SqlBool>`i.created_at <= ${filter.created_before}`)
  add(filter.updated_after, sql<SqlBool>`i.updated_at >= ${filter.updated_after}`)
  add(filter.updated_before, sql<SqlBool>`i.updated_at <= ${filter.updated_before}`)
  return filters
}

export function issueFilters(ctx: Ctx, filter: IssuableFilter): SqlFilter[] {
  const filters: SqlFilter[] = []
  const { confidential, issue_type, health_status } = filter
  if (filter.weight !== undefined) filters.push(withWeight(filter.weight))
  if (confidential !== undefined)
    filters.push(checkOnly(sql<SqlBool>`i.confidential = ${confidential ? 1 : 0}`))
  if (issue_type) filters.push(checkOnly(sql<SqlBool>`i.issue_type = ${issue_type}`))
  if (health_status) filters.push(checkOnly(sql<SqlBool>`i.health_status = ${health_status}`))
  const dueFilter = filter.due_date === undefined ? undefined : withDueDate(ctx, filter.due_date)
  return dueFilter ? [...filters, dueFilter] : filters
}

export function negatedIssueFilters({ weight, issue_type }: NegatedFilter): SqlFilter[] {
  const filters: SqlFilter[] = []
  if (weight !== undefined) filters.push(checkOnly(sql<SqlBool>`i.weight IS ${weight}`))
  if (issue_type) filters.push(checkOnly(sql<SqlBool>`i.issue_type = ${issue_type}`))
  return filters
}

/** Changes a filter so that it is false, not null, for a column without a value. */
export function falseForNull({ check }: SqlFilter): SqlFilter {
  return { check: sql<SqlBool>`coalesce(${check}, 0)` }
}

/** The records in a list: those of one project, of the projects in a group and its subgroups, or of the instance. */
export type IssuableScope =
  | { readonly project: Project }
  | { readonly namespace_ids: readonly number[]; readonly non_archived?: boolean | undefined }
  | { readonly non_archived?: boolean | undefined }

/** Selects projects (alias `p`) where the actor may read issues or merge requests. */
export function readableProjects(viewer: Pick<Ctx, 'actor' | 'now'>, kind: IssuableName): Condition {
  return projectsWithFeature(viewer, kind === 'Issue' ? 'issues' : 'merge_requests')
}

/** Returns the filters for the scope of the list, and for the records that the actor may see there. */
export function scopeFilters(ctx: Ctx, kind: IssuableName, scope: IssuableScope): SqlFilter[] {
  if ('project' in scope) return inProject(ctx, kind, scope.project)
  const conditions = [readableProjects(ctx, kind)]
  if (scope.non_archived) conditions.push(sql<SqlBool>`p.archived = 0`)
  const where = (extra: readonly Condition[]) => sql.join([...extra, ...conditions], sql` AND `)
  const ofRow = sql<SqlBool>`p.id = i.project_id`
  const visibilityFilters = confidentialityIn(ctx, kind)
  if (!('namespace_ids' in scope)) {
    return [
      checkOnly(sql<SqlBool>`EXISTS (SELECT 1 FROM projects p WHERE ${where([ofRow])})`),
      ...visibilityFilters,
    ]
  }
  const inGroup = sql<SqlBool>`p.namespace_id IN (SELECT value FROM json_each(${jsonList(scope.namespace_ids)}))`
  const inGroupWithoutIndex = sql<SqlBool>`+${inGroup}`
  return [
    {
      check: sql<SqlBool>`EXISTS (SELECT 1 FROM projects p WHERE ${where([ofRow, inGroupWithoutIndex])})`,
      find: sql<SqlBool>`i.project_id IN (SELECT p.id FROM projects p WHERE ${where([inGroup])})`,
    },
    ...visibilityFilters,
  ]
}

function inProject(ctx: Ctx, kind: IssuableName, project: Project): SqlFilter[] {
  const { read_issues, read_merge_requests } = projectAbilities
  const ability = kind === 'Issue' ? read_issues : read_merge_requests
  if (!hasAbility(ctx, scope, ability, project)) return [matchNothing]
  const projectFilter = {
    check: sql<SqlBool>`+i.project_id = ${project.id}`,
    find: sql<SqlBool>`i.project_id = ${project.id}`,
  }
  if (kind === 'MergeRequest' || seesAll(ctx.actor) || scope.roleOf(ctx, project) >= REPORTER)
    return [projectFilter]
  return [projectFilter, checkOnly(notConfidential(ctx, sql`0`))]
}

/** Returns the filter for confidential issues in lists over several projects, where it has to test each row. */
function confidentialityIn(ctx: Ctx, kind: IssuableName): SqlFilter[] {
  if (kind === 'MergeRequest' || seesAll(ctx.actor)) return []
  return [checkOnly(visibleIssues(ctx))]
}

/** Selects issues (alias `i`) that are not confidential, or that the actor may see (spec core 6.3). */
export function visibleIssues(ctx: Pick<Ctx, 'actor' | 'now'>): Condition {
  if (seesAll(ctx.actor)) return sql<SqlBool>`1`
  const isReporter = sql`EXISTS (SELECT 1 FROM projects p WHERE p.id = i.project_id
    AND ${projectsOfMember(ctx, REPORTER, 'check')})`
  return notConfidential(ctx, isReporter)
}

function notConfidential({ actor }: Pick<Ctx, 'actor'>, isReporter: RawBuilder<unknown>): Condition {
  if (actor.kind !== 'user') return sql<SqlBool>`i.confidential = 0`
  return sql<SqlBool>`(i.confidential = 0 OR +i.author_id = ${actor.id} OR EXISTS (
    SELECT 1 FROM issue_assignees me WHERE me.issue_id = i.id AND me.user_id = ${actor.id}) OR ${isReporter})`
}
