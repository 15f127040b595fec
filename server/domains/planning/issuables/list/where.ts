import { sql, type RawBuilder, type SqlBool } from 'kysely'

import type { Ctx } from '../../../../ctx.ts'
import { tablesOf, type IssuableName, type IssuableTables } from '../issuable.ts'
import type { IssuableFilter, NegatedFilter } from './filter.ts'
import { checkOnly, opposite, type Part } from './part.ts'
import {
  assignedTo,
  assignedToNamed,
  byAuthor,
  byAuthorNamed,
  numbered,
  withMyReaction,
} from './people-parts.ts'
import type { IssuableScope } from './scope.ts'
import {
  due,
  inMilestone,
  labelled,
  notInMilestone,
  ofMilestone,
  weighing,
  withLabel,
  type LabelIds,
  type MilestoneSource,
} from './plan-parts.ts'
import { searched } from './search-part.ts'

/** The filters of a list as parts on alias `i` of `issues` or `merge_requests`; the place and the state are not among them. */
export function filterParts(
  ctx: Ctx,
  kind: IssuableName,
  scope: IssuableScope,
  filter: IssuableFilter,
): Part[] {
  const tables = tablesOf(kind)
  const sources = { labels: labelIdsIn(scope), milestones: milestonesIn(scope) }
  return [
    ...scopeParts(ctx, tables, filter.scope),
    ...peopleParts(ctx, tables, filter),
    ...planParts(ctx, tables, filter, sources),
    ...timeParts(filter),
    ...(kind === 'Issue' ? issueParts(ctx, filter) : []),
    ...(filter.search ? searched(tables, filter.search, filter.in) : []),
    ...(filter.not ? negatedParts(ctx, tables, filter.not, sources) : []),
  ]
}

/** Labels of a title: in a project those that it can use, which is known without reading those of all others. */
function labelIdsIn(scope: IssuableScope): LabelIds {
  if (!('project' in scope)) return (title) => sql`SELECT l.id FROM labels l WHERE l.title = ${title}`
  const { id, lineage } = scope.project
  return (title) => sql`SELECT l.id FROM labels l WHERE l.project_id = ${id} AND l.title = ${title}
    UNION ALL SELECT l.id FROM labels l WHERE l.title = ${title}
      AND l.group_id IN (SELECT value FROM json_each(${lineage}))`
}

/** What titles of labels and milestones can mean in a list. */
interface Sources {
  readonly labels: LabelIds
  readonly milestones: MilestoneSource
}

function milestonesIn(scope: IssuableScope): MilestoneSource {
  if (!('project' in scope)) return sql`milestones`
  const { id, lineage } = scope.project
  return sql`(SELECT * FROM milestones WHERE project_id = ${id}
    UNION ALL SELECT * FROM milestones WHERE group_id IN (SELECT value FROM json_each(${lineage})))`
}

function scopeParts(ctx: Ctx, tables: IssuableTables, scope: string | undefined): Part[] {
  const me = ctx.actor.id
  if (!scope || scope === 'all' || me === null) return []
  return [scope.startsWith('created') ? byAuthor(tables, me) : assignedTo(tables, me)]
}

function peopleParts(ctx: Ctx, tables: IssuableTables, filter: IssuableFilter): Part[] {
  const parts: Part[] = []
  if (filter.author_id !== undefined) parts.push(byAuthor(tables, filter.author_id))
  if (filter.author_username) parts.push(byAuthorNamed(ctx, tables, filter.author_username))
  if (filter.assignee_id !== undefined) {
    // 0 is an older word for nobody.
    parts.push(assignedTo(tables, filter.assignee_id === 0 ? 'None' : filter.assignee_id))
  }
  if (filter.assignee_username) parts.push(...assignedToNamed(ctx, tables, filter.assignee_username))
  if (filter.my_reaction_emoji) parts.push(withMyReaction(ctx, tables, filter.my_reaction_emoji))
  if (filter.iids && filter.iids.length > 0) parts.push(numbered(filter.iids))
  return parts
}

function planParts(
  ctx: Ctx,
  tables: IssuableTables,
  filter: Pick<IssuableFilter, 'labels' | 'milestone' | 'milestone_id' | 'of_milestone'>,
  { labels, milestones }: Sources,
): Part[] {
  const parts: Part[] = []
  if (filter.labels) parts.push(...labelled(tables, filter.labels, labels))
  const milestone = filter.milestone ?? filter.milestone_id
  if (milestone) parts.push(inMilestone(ctx, tables, milestone, milestones))
  if (filter.of_milestone !== undefined) parts.push(ofMilestone(tables, filter.of_milestone))
  return parts
}

function timeParts(filter: IssuableFilter): Part[] {
  const parts: Part[] = []
  const add = (given: string | undefined, condition: RawBuilder<SqlBool>): void => {
    if (given !== undefined) parts.push(checkOnly(condition))
  }
  add(filter.created_after, sql<SqlBool>`i.created_at >= ${filter.created_after}`)
  add(filter.created_before, sql<SqlBool>`i.created_at <= ${filter.created_before}`)
  add(filter.updated_after, sql<SqlBool>`i.updated_at >= ${filter.updated_after}`)
  add(filter.updated_before, sql<SqlBool>`i.updated_at <= ${filter.updated_before}`)
  return parts
}

function issueParts(ctx: Ctx, filter: IssuableFilter): Part[] {
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

/** Filters that must not hold; of several labels or people, none. */
function negatedParts(ctx: Ctx, tables: IssuableTables, not: NegatedFilter, sources: Sources): Part[] {
  const { assignee_username: names = [], labels = [], assignee_id, milestone, milestone_id, ...rest } = not
  const parts = [
    ...peopleParts(ctx, tables, rest),
    ...labels.map((title) => withLabel(tables, title, sources.labels)),
    ...assignedToNamed(ctx, tables, names),
  ]
  if (assignee_id !== undefined) parts.push(assignedTo(tables, assignee_id))
  if (tables.table === 'issues') parts.push(...negatedIssueParts(not))
  const without = parts.map(opposite)
  // What has no milestone has not this one either.
  if (milestone) without.push(opposite(known(inMilestone(ctx, tables, milestone, sources.milestones))))
  if (milestone_id) without.push(notInMilestone(ctx, tables, milestone_id, sources.milestones))
  return without
}

function negatedIssueParts({ weight, issue_type }: NegatedFilter): Part[] {
  const parts: Part[] = []
  if (weight !== undefined) parts.push(checkOnly(sql<SqlBool>`i.weight IS ${weight}`))
  if (issue_type) parts.push(checkOnly(sql<SqlBool>`i.issue_type = ${issue_type}`))
  return parts
}

/** Nothing is unknown: a column without a value does not fit. */
function known({ check }: Part): Part {
  return { check: sql<SqlBool>`coalesce(${check}, 0)` }
}
