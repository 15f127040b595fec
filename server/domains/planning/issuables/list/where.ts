import type { Ctx } from '../../../../ctx.ts'
import { tablesOf, type IssuableName, type IssuableTables } from '../issuable.ts'
import { type IssuableFilter, type NegatedFilter, opposite, type Part, never } from './filter.ts'
import {
  assignedTo,
  byAuthor,
  numbered,
  withMyEmoji,
  inMilestone,
  labelled,
  notInMilestone,
  ofMilestone,
  withLabel,
  type LabelIds,
  type MilestoneSource,
  like,
  byIndex,
} from './store-parts.ts'
import {
  type IssuableScope,
  labelIdsIn,
  milestonesIn,
  timeParts,
  issueParts,
  negatedIssueParts,
  falseForNull,
} from './store-where.ts'
import { userByUsername } from '../../../users/index.ts'

/** The maximum number of words of one search. Further words are ignored. */
const MAX_WORDS = 20

/** Splits a search into words. Text in double quotes counts as one word. */
function wordsOf(search: string): string[] {
  const words = [...search.matchAll(/"([^"]+)"|(\S+)/g)].map((match) => (match[1] ?? match[2]!).trim())
  return words.filter((word) => word !== '' && word !== '"').slice(0, MAX_WORDS)
}

/** Returns the columns to search: title, description or both. */
function columnsOf(fields: readonly string[] | undefined): ('title' | 'description')[] {
  const columns = ['title', 'description'] as const
  const wanted = columns.filter((column) => fields?.includes(column))
  return wanted.length === 0 ? [...columns] : wanted
}

/** Matches records with every word in the title or description, in any case. */
function searched(tables: IssuableTables, search: string, fields: readonly string[] | undefined): Part[] {
  const words = wordsOf(search)
  if (words.length === 0) return [never]
  const columns = columnsOf(fields)
  return words.map((word) => ({ check: like(columns, word), ...byIndex(tables, columns, word) }))
}

/** Makes the filters of a list on alias `i` of `issues` or `merge_requests`, without its scope and state. */
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

/** The labels and milestones that titles in filters can refer to. */
interface Sources {
  readonly labels: LabelIds
  readonly milestones: MilestoneSource
}

function scopeParts(ctx: Ctx, tables: IssuableTables, scope: string | undefined): Part[] {
  const me = ctx.actor.id
  if (!scope || scope === 'all' || me === null) return []
  return [scope.startsWith('created') ? byAuthor(tables, me) : assignedTo(tables, me)]
}

function peopleParts(ctx: Ctx, tables: IssuableTables, filter: IssuableFilter): Part[] {
  const parts: Part[] = []
  if (filter.author_id !== undefined) parts.push(byAuthor(tables, filter.author_id))
  if (filter.author_username) parts.push(byAuthorUsername(ctx, tables, filter.author_username))
  if (filter.assignee_id !== undefined) {
    // 0 is the older value for `None`.
    parts.push(assignedTo(tables, filter.assignee_id === 0 ? 'None' : filter.assignee_id))
  }
  if (filter.assignee_username) parts.push(...assignedToUsernames(ctx, tables, filter.assignee_username))
  if (filter.my_reaction_emoji) parts.push(withMyEmoji(ctx, tables, filter.my_reaction_emoji))
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

/** Makes the negated filters. A record matches only if it has none of several labels or people. */
function negatedParts(ctx: Ctx, tables: IssuableTables, not: NegatedFilter, sources: Sources): Part[] {
  const { assignee_username: names = [], labels = [], assignee_id, milestone, milestone_id, ...rest } = not
  const parts = [
    ...peopleParts(ctx, tables, rest),
    ...labels.map((title) => withLabel(tables, title, sources.labels)),
    ...assignedToUsernames(ctx, tables, names),
  ]
  if (assignee_id !== undefined) parts.push(assignedTo(tables, assignee_id))
  if (tables.table === 'issues') parts.push(...negatedIssueParts(not))
  const without = parts.map(opposite)
  // A record without a milestone matches, too.
  if (milestone) without.push(opposite(falseForNull(inMilestone(ctx, tables, milestone, sources.milestones))))
  if (milestone_id) without.push(notInMilestone(ctx, tables, milestone_id, sources.milestones))
  return without
}

/** Matches records of the author with this user name, in any case. */
function byAuthorUsername(ctx: Ctx, tables: IssuableTables, name: string): Part {
  const user = userByUsername(ctx.db, name)
  return user ? byAuthor(tables, user.id) : never
}

/** Matches records that are assigned to all users with these names. An unknown name matches nothing. */
function assignedToUsernames(ctx: Ctx, tables: IssuableTables, names: readonly string[]): Part[] {
  return names.map((name) => {
    const user = userByUsername(ctx.db, name)
    return user ? assignedTo(tables, user.id) : never
  })
}
