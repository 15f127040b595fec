import { sql, type RawBuilder, type SqlBool } from 'kysely'

import type { Ctx } from '../../../../ctx.ts'
import { addDays, isoDate } from '../../../../lib/clock.ts'
import type { IssuableTables } from '../issuable.ts'
import type { NumberOrWord } from './params.ts'
import { checkOnly, opposite, type Part } from './part.ts'
import { linked } from './people-parts.ts'

/** Selects the ids of the labels (alias `l`) of a title, as far as the list can meet them. */
export type LabelIds = (title: string) => RawBuilder<unknown>

/** With every one of these labels; alone, `None` and `Any` ask whether there is any. */
export function labelled(tables: IssuableTables, titles: readonly string[], ids: LabelIds): Part[] {
  const word = titles.length === 1 ? titles[0]!.toLowerCase() : ''
  if (word === 'none' || word === 'any') {
    const some = linked(tables.labels, tables.key, sql`1`)
    return [word === 'any' ? checkOnly(some.check) : opposite(some)]
  }
  return titles.map((title) => withLabel(tables, title, ids))
}

/** With the label of that title. */
export function withLabel({ labels, key }: IssuableTables, title: string, ids: LabelIds): Part {
  const found = linked(labels, key, sql`a.label_id IN (${ids(title)})`)
  // Many projects have a label of that title; a row has a few labels, and those are gone through.
  return { ...found, check: linked(labels, key, sql`+a.label_id IN (${ids(title)})`).check }
}

/** Selects the milestones (alias `m`) that a list can meet, as what stands behind FROM. */
export type MilestoneSource = RawBuilder<unknown>

/** In the milestone of that title, in none, in any, or in one that has begun or is to end next. */
export function inMilestone(ctx: Ctx, tables: IssuableTables, title: string, source: MilestoneSource): Part {
  const today = isoDate(ctx.now)
  switch (title.toLowerCase().replace(/^#/, '')) {
    case 'none':
    case 'no milestone':
      return checkOnly(sql<SqlBool>`i.milestone_id IS NULL`)
    case 'any':
    case 'any milestone':
      return checkOnly(sql<SqlBool>`i.milestone_id IS NOT NULL`)
    case 'upcoming':
      return among(tables, next(source, today))
    case 'started':
      return among(
        tables,
        sql`SELECT m.id FROM ${source} m WHERE m.state = 'active' AND m.start_date <= ${today}`,
      )
    default:
      return among(tables, sql`SELECT m.id FROM ${source} m WHERE m.title = ${title}`)
  }
}

/** In an open milestone that has not begun (for `Started`), or whose end has come (for `Upcoming`). */
export function notInMilestone(
  ctx: Ctx,
  tables: IssuableTables,
  word: 'Upcoming' | 'Started',
  source: MilestoneSource,
): Part {
  const today = isoDate(ctx.now)
  const is = word === 'Started' ? sql`m.start_date > ${today}` : sql`m.due_date <= ${today}`
  return among(tables, sql`SELECT m.id FROM ${source} m WHERE m.state = 'active' AND ${is}`)
}

function among({ table }: IssuableTables, ids: RawBuilder<unknown>): Part {
  return {
    check: sql<SqlBool>`+i.milestone_id IN (${ids})`,
    find: sql<SqlBool>`i.milestone_id IN (${ids})`,
    probe: sql`SELECT 1 FROM ${sql.ref(table)} i WHERE i.milestone_id IN (${ids})`,
  }
}

/** Of every project and group the open milestone that ends next. */
function next(source: MilestoneSource, today: string): RawBuilder<unknown> {
  return sql`SELECT id FROM (SELECT m.id, m.due_date,
    min(m.due_date) OVER (PARTITION BY m.project_id, m.group_id) AS next FROM ${source} m
    WHERE m.state = 'active' AND m.due_date > ${today}) WHERE due_date = next`
}

/** In the milestone of that id. */
export function ofMilestone({ table }: IssuableTables, id: number): Part {
  return {
    check: sql<SqlBool>`+i.milestone_id = ${id}`,
    find: sql<SqlBool>`i.milestone_id = ${id}`,
    probe: sql`SELECT 1 FROM ${sql.ref(table)} i WHERE i.milestone_id = ${id}`,
  }
}

/** Of that weight, of none, or of any. */
export function weighing(weight: NumberOrWord): Part {
  if (weight === 'None') return checkOnly(sql<SqlBool>`i.weight IS NULL`)
  if (weight === 'Any') return checkOnly(sql<SqlBool>`i.weight IS NOT NULL`)
  return checkOnly(sql<SqlBool>`i.weight = ${weight}`)
}

/** Words for when an issue is due (spec core 6.3). */
export const DUE = [
  '0',
  'any',
  'today',
  'tomorrow',
  'overdue',
  'week',
  'month',
  'next_month_and_previous_two_weeks',
  '',
] as const

/** Due when a word says: in this week or month, from two weeks ago to the end of the next month, and so on. */
export function due(ctx: Ctx, word: string): Part | undefined {
  const today = isoDate(ctx.now)
  const between = (from: string, to: string): Part => ({
    check: sql<SqlBool>`+i.due_date BETWEEN ${from} AND ${to}`,
    find: sql<SqlBool>`i.due_date BETWEEN ${from} AND ${to}`,
    probe: sql`SELECT 1 FROM issues i WHERE i.due_date BETWEEN ${from} AND ${to}`,
  })
  switch (word) {
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

/** The last day of a month, counted from the one of a time. */
function lastDay(time: string, months: number): string {
  const date = new Date(time)
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months + 1, 0))
    .toISOString()
    .slice(0, 10)
}
