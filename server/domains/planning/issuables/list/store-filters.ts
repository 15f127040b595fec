import { sql, type SqlBool, type RawBuilder } from 'kysely'

import type { Ctx } from '../../../../ctx.ts'
import { jsonList } from '../../../../db/database.ts'
import type { IssuableTables } from '../issuable.ts'
import type { NumberOrWord } from './params.ts'
import { checkOnly, type SqlFilter, negate } from './filter.ts'
import { addDays, isoDate } from '../../../../lib/clock.ts'
import { likePattern } from '../../../../db/lists.ts'

/** Matches records of an author. */
export function byAuthor({ table }: IssuableTables, id: number): SqlFilter {
  return {
    check: sql<SqlBool>`+i.author_id = ${id}`,
    find: sql<SqlBool>`i.author_id = ${id}`,
    probe: sql`SELECT 1 FROM ${sql.ref(table)} i WHERE i.author_id = ${id}`,
    leadsToState: true,
  }
}

/** Matches records that are assigned to a user, to nobody (`None`) or to anybody (`Any`). */
export function assignedTo(tables: IssuableTables, who: NumberOrWord): SqlFilter {
  const [join, key] = [sql.ref(tables.assignees), sql.ref(`a.${tables.key}`)]
  if (typeof who === 'string') {
    const exists = sql`EXISTS (SELECT 1 FROM ${join} a WHERE ${key} = i.id)`
    return checkOnly(who === 'Any' ? sql<SqlBool>`${exists}` : sql<SqlBool>`NOT ${exists}`)
  }
  return withLinkedRow(tables.assignees, tables.key, sql`a.user_id = ${who}`)
}

/** Matches records with a row in another table (alias `a`) that refers to them and meets `condition`. */
export function withLinkedRow(table: string, key: string, condition: ReturnType<typeof sql>): SqlFilter {
  const [from, owner] = [sql.ref(table), sql.ref(`a.${key}`)]
  return {
    check: sql<SqlBool>`EXISTS (SELECT 1 FROM ${from} a WHERE ${owner} = i.id AND ${condition})`,
    find: sql<SqlBool>`i.id IN (SELECT ${owner} FROM ${from} a WHERE ${condition})`,
    probe: sql`SELECT 1 FROM ${from} a WHERE ${condition}`,
    ids: sql`SELECT ${owner} AS id FROM ${from} a WHERE ${condition}`,
    byId: true,
  }
}

/** Matches records that the actor awarded an emoji: the named one, any (`Any`) or none (`None`). */
export function withMyEmoji(ctx: Ctx, tables: IssuableTables, emoji: string): SqlFilter {
  const type = tables.table === 'issues' ? 'Issue' : 'MergeRequest'
  const keyword = emoji.toLowerCase()
  const isKeyword = keyword === 'any' || keyword === 'none'
  const name = isKeyword ? sql`1` : sql`a.name = ${emoji}`
  const condition = sql`a.user_id = ${ctx.actor.id} AND a.awardable_type = ${type} AND ${name}`
  if (keyword === 'none')
    return checkOnly(
      sql<SqlBool>`NOT EXISTS (SELECT 1 FROM award_emoji a WHERE a.awardable_id = i.id AND ${condition})`,
    )
  return withLinkedRow('award_emoji', 'awardable_id', condition)
}

/** Matches records with these IIDs. */
export function withIids(iids: readonly number[]): SqlFilter {
  const check = sql<SqlBool>`i.iid IN (SELECT value FROM json_each(${jsonList(iids)}))`
  return { check }
}

/** Selects the IDs of the labels (alias `l`) with a title. */
export type LabelIds = (title: string) => RawBuilder<unknown>

/**
 * Matches records that have all of these labels. The only title `None` matches records without labels, the only title
 * `Any` records with labels.
 */
export function withLabels(tables: IssuableTables, titles: readonly string[], ids: LabelIds): SqlFilter[] {
  const keyword = titles.length === 1 ? titles[0]!.toLowerCase() : ''
  if (keyword === 'none' || keyword === 'any') {
    const exists = withLinkedRow(tables.labels, tables.key, sql`1`)
    return [keyword === 'any' ? checkOnly(exists.check) : negate(exists)]
  }
  return titles.map((title) => withLabel(tables, title, ids))
}

/** Matches records with a label. */
export function withLabel({ labels, key }: IssuableTables, title: string, ids: LabelIds): SqlFilter {
  const filter = withLinkedRow(labels, key, sql`a.label_id IN (${ids(title)})`)
  // A title can belong to the labels of many projects, but a row has few labels. So the check reads those of the row.
  return { ...filter, check: withLinkedRow(labels, key, sql`+a.label_id IN (${ids(title)})`).check }
}

/** The milestones (alias `m`) that the list can contain, as an SQL source for FROM. */
export type MilestoneSource = RawBuilder<unknown>

/** Matches records by the title of their milestone, or by the keywords `None`, `Any`, `Upcoming` and `Started`. */
export function inMilestone(
  ctx: Ctx,
  tables: IssuableTables,
  title: string,
  source: MilestoneSource,
): SqlFilter {
  const today = isoDate(ctx.now)
  switch (title.toLowerCase().replace(/^#/, '')) {
    case 'none':
    case 'no milestone':
      return checkOnly(sql<SqlBool>`i.milestone_id IS NULL`)
    case 'any':
    case 'any milestone':
      return checkOnly(sql<SqlBool>`i.milestone_id IS NOT NULL`)
    case 'upcoming':
      return inMilestones(tables, nextMilestones(source, today))
    case 'started':
      return inMilestones(
        tables,
        sql`SELECT m.id FROM ${source} m WHERE m.state = 'active' AND m.start_date <= ${today}`,
      )
    default:
      return inMilestones(tables, sql`SELECT m.id FROM ${source} m WHERE m.title = ${title}`)
  }
}

/**
 * Matches records in an open milestone that has not begun (`Started`) or has ended (`Upcoming`). The caller negates it.
 */
export function notInMilestone(
  ctx: Ctx,
  tables: IssuableTables,
  keyword: 'Upcoming' | 'Started',
  source: MilestoneSource,
): SqlFilter {
  const today = isoDate(ctx.now)
  const date = keyword === 'Started' ? sql`m.start_date > ${today}` : sql`m.due_date <= ${today}`
  return inMilestones(tables, sql`SELECT m.id FROM ${source} m WHERE m.state = 'active' AND ${date}`)
}

function inMilestones({ table }: IssuableTables, ids: RawBuilder<unknown>): SqlFilter {
  return {
    check: sql<SqlBool>`+i.milestone_id IN (${ids})`,
    find: sql<SqlBool>`i.milestone_id IN (${ids})`,
    probe: sql`SELECT 1 FROM ${sql.ref(table)} i WHERE i.milestone_id IN (${ids})`,
  }
}

/** Selects, for each project and group, the open milestone that ends next. */
function nextMilestones(source: MilestoneSource, today: string): RawBuilder<unknown> {
  return sql`SELECT id FROM (SELECT m.id, m.due_date,
    min(m.due_date) OVER (PARTITION BY m.project_id, m.group_id) AS next FROM ${source} m
    WHERE m.state = 'active' AND m.due_date > ${today}) WHERE due_date = next`
}

/** Matches records with a milestone. */
export function withMilestone({ table }: IssuableTables, id: number): SqlFilter {
  return {
    check: sql<SqlBool>`+i.milestone_id = ${id}`,
    find: sql<SqlBool>`i.milestone_id = ${id}`,
    probe: sql`SELECT 1 FROM ${sql.ref(table)} i WHERE i.milestone_id = ${id}`,
  }
}

/** Matches issues with this weight, with none or with any. */
export function withWeight(weight: NumberOrWord): SqlFilter {
  if (weight === 'None') return checkOnly(sql<SqlBool>`i.weight IS NULL`)
  if (weight === 'Any') return checkOnly(sql<SqlBool>`i.weight IS NOT NULL`)
  return checkOnly(sql<SqlBool>`i.weight = ${weight}`)
}

/** Matches issues by a value of the `due_date` filter, such as `overdue`. Returns undefined for an unknown value. */
export function withDueDate(ctx: Ctx, value: string): SqlFilter | undefined {
  const today = isoDate(ctx.now)
  const between = (from: string, to: string): SqlFilter => ({
    check: sql<SqlBool>`+i.due_date BETWEEN ${from} AND ${to}`,
    find: sql<SqlBool>`i.due_date BETWEEN ${from} AND ${to}`,
    probe: sql`SELECT 1 FROM issues i WHERE i.due_date BETWEEN ${from} AND ${to}`,
  })
  switch (value) {
    case '0':
      return checkOnly(sql<SqlBool>`i.due_date IS NULL`)
    case 'any':
      return checkOnly(sql<SqlBool>`i.due_date IS NOT NULL`)
    case 'today':
      return between(today, today)
    case 'tomorrow':
      return between(dayAfter(ctx.now, 1), dayAfter(ctx.now, 1))
    case 'overdue':
      return between('0000-01-01', dayAfter(ctx.now, -1))
    case 'week': {
      const monday = addDays(ctx.now, -((new Date(ctx.now).getUTCDay() + 6) % 7))
      return between(isoDate(monday), dayAfter(monday, 6))
    }
    case 'month':
      return between(`${today.slice(0, 7)}-01`, lastDay(ctx.now, 0))
    case 'next_month_and_previous_two_weeks':
      return between(dayAfter(ctx.now, -14), lastDay(ctx.now, 1))
    default:
      return undefined
  }
}

function dayAfter(time: string, days: number): string {
  return isoDate(addDays(time, days))
}

/** Returns the last day of the month that is `months` after the given time. */
function lastDay(time: string, months: number): string {
  const date = new Date(time)
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months + 1, 0))
    .toISOString()
    .slice(0, 10)
}

/** The length of the entries in the search index. For shorter words, the query reads every row. */
const TRIGRAM = 3

/** Tests whether one of the columns contains a word. */
export function containsWord(columns: readonly string[], word: string): RawBuilder<SqlBool> {
  const pattern = likePattern(word)
  const tests = columns.map((column) => sql`${sql.ref(`i.${column}`)} LIKE ${pattern} ESCAPE '\\'`)
  return sql<SqlBool>`(${sql.join(tests, sql` OR `)})`
}

/** Finds the rows that contain a word with the search index. Empty for a word that is too short for the index. */
/** Finds the rows that contain a word with the search index. Empty for a word that is too short for the index. */
export function searchIndexFilter(
  { fts }: IssuableTables,
  columns: readonly string[],
  word: string,
): Partial<SqlFilter> {
  if ([...word].length < TRIGRAM) return {}
  const phrase = `{${columns.join(' ')}} : "${word.replaceAll('"', '""')}"`
  const rows = sql`FROM ${sql.ref(fts)} WHERE ${sql.ref(fts)} MATCH ${phrase}`
  return {
    find: sql<SqlBool>`i.id IN (SELECT rowid ${rows})`,
    probe: sql`SELECT 1 ${rows}`,
  }
}
