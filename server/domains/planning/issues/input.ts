import { addDays, isoDate } from '../../../lib/clock.ts'
import type { IssueRow } from './issue.ts'
import type { Ctx } from '../../../ctx.ts'
import { invalid } from '../../../lib/fail.ts'
import { onBehalfOf } from '../issuables/acting.ts'
import { mayReadIn } from '../issuables/store-reading.ts'
import { labelsNamed } from '../labels/find.ts'
import type { LabelRow } from '../labels/label.ts'
import { milestoneFor } from '../milestones/store.ts'
import type { Project } from '../../projects/index.ts'

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const NUMBERS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']

/** Returns a day in ISO format. The month counts from 0. Undefined for a day that does not exist. */
function dayOf(year: number, month: number, day: number): string | undefined {
  const date = new Date(Date.UTC(year, month, day))
  return date.getUTCMonth() === month && date.getUTCDate() === day ? isoDate(date.toISOString()) : undefined
}

/** Returns the same day `months` later, or the last day of a shorter month. */
function monthsAfter(now: string, months: number): string {
  const date = new Date(now)
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months + 1, 0))
  const day = Math.min(date.getUTCDate(), last.getUTCDate())
  return isoDate(new Date(Date.UTC(last.getUTCFullYear(), last.getUTCMonth(), day)).toISOString())
}

function datePlus(now: string, count: number, unit: string): string {
  if (unit.startsWith('month')) return monthsAfter(now, count)
  if (unit.startsWith('year')) return monthsAfter(now, 12 * count)
  return isoDate(addDays(now, unit.startsWith('week') ? 7 * count : count))
}

/**
 * Parses a day as people write it: `2026-12-24`, `tomorrow`, `in 2 days`, `next week`, `this friday`, `December 24th`.
 * A day without a year is the next one. Returns undefined for any other text.
 */
export function parseDay(text: string, now: string): string | undefined {
  const words = text.trim().toLowerCase().replace(/[,.]/g, ' ').replace(/\s+/g, ' ')
  const [, year, month, day] = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(words) ?? []
  if (year) return dayOf(Number(year), Number(month) - 1, Number(day))
  const relative = { today: 0, tomorrow: 1, yesterday: -1 }[words]
  if (relative !== undefined) return isoDate(addDays(now, relative))
  const [, count, unit] = /^(?:in )?(\d{1,3}|[a-z]+) (day|week|month|year)s?(?: from now)?$/.exec(words) ?? []
  if (count && unit) {
    const spelledNumber = count === 'a' || count === 'next' ? 1 : NUMBERS.indexOf(count)
    const number = /^\d/.test(count) ? Number(count) : spelledNumber
    return number < 0 ? undefined : datePlus(now, number, unit)
  }
  return weekday(words, now) ?? dayByMonth(words, now)
}

function weekday(text: string, now: string): string | undefined {
  const [, next, name] = /^(?:(next) |this |on )?([a-z]{3,9})$/.exec(text) ?? []
  const index =
    name === undefined ? -1 : WEEKDAYS.findIndex((day) => day === name || day.slice(0, 3) === name)
  if (index < 0) return undefined
  const days = (index - new Date(now).getUTCDay() + 7) % 7 || 7
  return isoDate(addDays(now, next && days < 7 ? days + 7 : days))
}

function dayByMonth(text: string, now: string): string | undefined {
  // Either `December 24` or `24 December`.
  const [, leadingMonth, trailingDay, leadingDay, trailingMonth = ''] =
    /^(?:([a-z]{3,9}) (\d{1,2})|(\d{1,2}) ([a-z]{3,9}))/.exec(text.replace(/(\d)(st|nd|rd|th)\b/, '$1')) ?? []
  const monthName = leadingMonth ?? trailingMonth
  const day = Number(trailingDay ?? leadingDay)
  const month = MONTHS.findIndex((entry) => monthName.slice(0, 3) === entry)
  if (monthName === '' || month < 0) return undefined
  const [year] = /\d{4}$/.exec(text) ?? []
  if (year) return dayOf(Number(year), month, day)
  const thisYear = dayOf(new Date(now).getUTCFullYear(), month, day)
  return thisYear && thisYear >= isoDate(now)
    ? thisYear
    : dayOf(new Date(now).getUTCFullYear() + 1, month, day)
}

/** The content of a new issue, or the changes of an update. Undefined fields stay unchanged. */
export interface IssueInput {
  readonly title?: string | undefined
  readonly description?: string | null | undefined
  readonly labels?: readonly string[] | null | undefined
  readonly add_labels?: readonly string[] | undefined
  readonly remove_labels?: readonly string[] | undefined
  readonly assignee_ids?: readonly number[] | null | undefined
  readonly assignee_id?: number | null | undefined
  readonly milestone_id?: number | null | undefined
  readonly due_date?: string | null | undefined
  readonly weight?: number | null | undefined
  readonly health_status?: IssueRow['health_status'] | undefined
  readonly confidential?: boolean | undefined
  readonly discussion_locked?: boolean | null | undefined
  readonly issue_type?: IssueRow['issue_type'] | undefined
  readonly state_event?: 'close' | 'reopen' | undefined
  readonly created_at?: string | undefined
  readonly updated_at?: string | undefined
  readonly iid?: number | undefined
}

const MAX_TITLE = 255
const MAX_DESCRIPTION = 1_048_576

/** Throws 400 for an invalid title or description. */
export function checkTexts({ title, description }: IssueInput): void {
  const problems: Record<string, string> = {}
  if (title !== undefined && title.trim() === '') problems['title'] = "can't be blank"
  if (title !== undefined && title.length > MAX_TITLE)
    problems['title'] = `is too long (maximum is ${MAX_TITLE} characters)`
  if (description && description.length > MAX_DESCRIPTION)
    problems['description'] = `is too long (maximum is ${MAX_DESCRIPTION} characters)`
  if (Object.keys(problems).length > 0) throw invalid(problems)
}

/** Returns the user IDs from `assignee_ids`, or else from `assignee_id`, without 0. Undefined if both are missing. */
export function requestedAssigneeIds(input: IssueInput): number[] | undefined {
  const { assignee_ids, assignee_id } = input
  if (assignee_ids !== undefined) return (assignee_ids ?? []).filter((id) => id !== 0)
  if (assignee_id !== undefined) return assignee_id ? [assignee_id] : []
  return undefined
}

/** Returns the IDs of the users who can be assigned, because they may read the issues of the project. */
export function assignableIds(ctx: Ctx, project: Project, ids: readonly number[]): number[] {
  return [...new Set(ids)].filter((id) => {
    const userCtx = onBehalfOf(ctx, id)
    return userCtx !== undefined && mayReadIn(userCtx, project, 'Issue')
  })
}

/** Returns the ID if it is that of a milestone that the project can use, else null. */
export function usableMilestone(ctx: Ctx, project: Project, id: number | null): number | null {
  return id ? (milestoneFor(ctx.db, project, id)?.id ?? null) : null
}

/** Returns the IDs of the labels after a change. Undefined for no change. */
export function newLabelIds(
  ctx: Ctx,
  project: Project,
  input: IssueInput,
  current: readonly number[],
): number[] | undefined {
  const { labels, add_labels, remove_labels } = input
  if (labels === undefined && !add_labels && !remove_labels) return undefined
  const ids = (rows: readonly LabelRow[]) => rows.map((row) => row.id)
  const base = labels === undefined ? current : ids(labelsNamed(ctx, project, labels ?? [], { create: true }))
  const added = ids(labelsNamed(ctx, project, add_labels ?? [], { create: true }))
  const removed = ids(labelsNamed(ctx, project, remove_labels ?? [], { create: false }))
  return [...new Set([...base, ...added])].filter((id) => !removed.includes(id))
}
