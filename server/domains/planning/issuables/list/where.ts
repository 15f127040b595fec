import type { Ctx } from '../../../../ctx.ts'
import { tablesOf, type IssuableName, type IssuableTables } from '../issuable.ts'
import { type IssuableFilter, type NegatedFilter, negate, type SqlFilter, matchNothing } from './filter.ts'
import {
  assignedTo,
  byAuthor,
  withIids,
  withMyEmoji,
  inMilestone,
  withLabels,
  notInMilestone,
  withMilestone,
  withLabel,
  type LabelIds,
  type MilestoneSource,
  containsWord,
  searchIndexFilter,
} from './store-filters.ts'
import {
  type IssuableScope,
  labelIdsIn,
  milestonesIn,
  timeFilters,
  issueFilters,
  negatedIssueFilters,
  falseForNull,
} from './store-where.ts'
import { userByUsername } from '../../../users/index.ts'

/** The maximum number of words in a search. Further words are ignored. */
const MAX_WORDS = 20

/** Splits a search into words. Text in double quotes counts as one word. */
function wordsOf(search: string): string[] {
  const words = [...search.matchAll(/"([^"]+)"|(\S+)/g)].map((match) => (match[1] ?? match[2]!).trim())
  return words.filter((word) => word !== '' && word !== '"').slice(0, MAX_WORDS)
}

/** Returns the columns to search: title, description or both. */
function columnsOf(fields: readonly string[] | undefined): ('title' | 'description')[] {
  const columns = ['title', 'description'] as const
  const selected = columns.filter((column) => fields?.includes(column))
  return selected.length === 0 ? [...columns] : selected
}

/** Matches records with every word in the title or description, in any case. */
function searchFilters(
  tables: IssuableTables,
  search: string,
  fields: readonly string[] | undefined,
): SqlFilter[] {
  const words = wordsOf(search)
  if (words.length === 0) return [matchNothing]
  const columns = columnsOf(fields)
  return words.map((word) => ({
    check: containsWord(columns, word),
    ...searchIndexFilter(tables, columns, word),
  }))
}

/** Returns the filters of a list on alias `i` of `issues` or `merge_requests`, without its scope and state. */
export function listFilters(
  ctx: Ctx,
  kind: IssuableName,
  scope: IssuableScope,
  filter: IssuableFilter,
): SqlFilter[] {
  const tables = tablesOf(kind)
  const sources = { labels: labelIdsIn(scope), milestones: milestonesIn(scope) }
  return [
    ...roleFilters(ctx, tables, filter.scope),
    ...peopleFilters(ctx, tables, filter),
    ...planningFilters(ctx, tables, filter, sources),
    ...timeFilters(filter),
    ...(kind === 'Issue' ? issueFilters(ctx, filter) : []),
    ...(filter.search ? searchFilters(tables, filter.search, filter.in) : []),
    ...(filter.not ? negatedFilters(ctx, tables, filter.not, sources) : []),
  ]
}

/** The labels and milestones that titles in filters can refer to. */
interface Sources {
  readonly labels: LabelIds
  readonly milestones: MilestoneSource
}

function roleFilters(ctx: Ctx, tables: IssuableTables, scope: string | undefined): SqlFilter[] {
  const me = ctx.actor.id
  if (!scope || scope === 'all' || me === null) return []
  return [scope.startsWith('created') ? byAuthor(tables, me) : assignedTo(tables, me)]
}

function peopleFilters(ctx: Ctx, tables: IssuableTables, filter: IssuableFilter): SqlFilter[] {
  const filters: SqlFilter[] = []
  if (filter.author_id !== undefined) filters.push(byAuthor(tables, filter.author_id))
  if (filter.author_username) filters.push(byAuthorUsername(ctx, tables, filter.author_username))
  if (filter.assignee_id !== undefined) {
    // 0 is the older value for `None`.
    filters.push(assignedTo(tables, filter.assignee_id === 0 ? 'None' : filter.assignee_id))
  }
  if (filter.assignee_username) filters.push(...assignedToUsernames(ctx, tables, filter.assignee_username))
  if (filter.my_reaction_emoji) filters.push(withMyEmoji(ctx, tables, filter.my_reaction_emoji))
  if (filter.iids && filter.iids.length > 0) filters.push(withIids(filter.iids))
  return filters
}

function planningFilters(
  ctx: Ctx,
  tables: IssuableTables,
  filter: Pick<IssuableFilter, 'labels' | 'milestone' | 'milestone_id' | 'of_milestone'>,
  { labels, milestones }: Sources,
): SqlFilter[] {
  const filters: SqlFilter[] = []
  if (filter.labels) filters.push(...withLabels(tables, filter.labels, labels))
  const milestone = filter.milestone ?? filter.milestone_id
  if (milestone) filters.push(inMilestone(ctx, tables, milestone, milestones))
  if (filter.of_milestone !== undefined) filters.push(withMilestone(tables, filter.of_milestone))
  return filters
}

/** Returns the negated filters. If `not` lists several labels or users, a record must have none of them. */
function negatedFilters(ctx: Ctx, tables: IssuableTables, not: NegatedFilter, sources: Sources): SqlFilter[] {
  const { assignee_username: names = [], labels = [], assignee_id, milestone, milestone_id, ...rest } = not
  const filters = [
    ...peopleFilters(ctx, tables, rest),
    ...labels.map((title) => withLabel(tables, title, sources.labels)),
    ...assignedToUsernames(ctx, tables, names),
  ]
  if (assignee_id !== undefined) filters.push(assignedTo(tables, assignee_id))
  if (tables.table === 'issues') filters.push(...negatedIssueFilters(not))
  const negated = filters.map(negate)
  // A record without a milestone matches, too.
  if (milestone) negated.push(negate(falseForNull(inMilestone(ctx, tables, milestone, sources.milestones))))
  if (milestone_id) negated.push(notInMilestone(ctx, tables, milestone_id, sources.milestones))
  return negated
}

/** Matches records of the author with this username, in any case. */
function byAuthorUsername(ctx: Ctx, tables: IssuableTables, name: string): SqlFilter {
  const user = userByUsername(ctx.db, name)
  return user ? byAuthor(tables, user.id) : matchNothing
}

/** Matches records that are assigned to all users with these usernames. An unknown username matches nothing. */
function assignedToUsernames(ctx: Ctx, tables: IssuableTables, names: readonly string[]): SqlFilter[] {
  return names.map((name) => {
    const user = userByUsername(ctx.db, name)
    return user ? assignedTo(tables, user.id) : matchNothing
  })
}
