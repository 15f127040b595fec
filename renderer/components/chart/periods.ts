import { dateLocale } from '../../locales/locale.ts'
import { t } from '../../locales/t.ts'

const DAY_MS = 86_400_000

/** The periods that a chart can cover. Long ones are counted by week. */
export const PERIODS = [
  { value: '30', label: t('chart.30_days'), days: 30, by: 'day' },
  { value: '90', label: t('chart.90_days'), days: 90, by: 'day' },
  { value: '365', label: t('chart.1_year'), days: 365, by: 'week' },
] as const
export type Period = (typeof PERIODS)[number]

export const periodOf = (value: string, fallback: Period): Period =>
  PERIODS.find((one) => one.value === value) ?? fallback

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)
const mondayOf = (ms: number) => ms - ((new Date(ms).getUTCDay() + 6) % 7) * DAY_MS

/** All days, or the Mondays of all weeks, from one to another (UTC). */
export const daysBetween = (from: number, until: number, by: 'day' | 'week'): string[] => {
  const step = by === 'day' ? DAY_MS : 7 * DAY_MS
  const midnight = Math.floor(from / DAY_MS) * DAY_MS
  const days: string[] = []
  for (let at = by === 'day' ? midnight : mondayOf(midnight); at <= until; at += step) days.push(dayOf(at))
  return days
}

/** The days or weeks of a period that ends now. */
export const daysOf = ({ days, by }: { days: number; by: Period['by'] }, now: number): string[] =>
  daysBetween(now - (days - 1) * DAY_MS, now, by)

const withoutYear = { day: 'numeric', month: 'short', timeZone: 'UTC' } as const
const short = new Intl.DateTimeFormat(dateLocale, withoutYear)
const withYear = new Intl.DateTimeFormat(dateLocale, { ...withoutYear, year: 'numeric' })

/** A day as the axis shows it: `12 Nov`; with the year where there are several. */
export const dayLabel = (day: string, hasYear = false): string =>
  (hasYear ? withYear : short).format(new Date(`${day}T00:00:00Z`))

/** From this many weeks on, months are easier to read. */
const MANY_WEEKS = 120

type Week = { readonly week: string; readonly commits: number }

/** The weeks or months from the first week to the last one, with a function that adds up commits in them. */
export const weeksOrMonths = (weeks: readonly Week[]) => {
  const [first, last] = [weeks[0]?.week, weeks.at(-1)?.week]
  const all = first && last ? daysBetween(Date.parse(first), Date.parse(last), 'week') : []
  const by = all.length > MANY_WEEKS ? 'month' : 'week'
  const startOf = (week: string) => (by === 'month' ? `${week.slice(0, 7)}-01` : week)
  const starts = [...new Set(all.map(startOf))]
  const sums = (counted: readonly Week[]): number[] => {
    const found = new Map<string, number>()
    for (const { week, commits } of counted) {
      const start = startOf(week)
      found.set(start, (found.get(start) ?? 0) + commits)
    }
    return starts.map((start) => found.get(start) ?? 0)
  }
  return { by, starts, sums } as const
}
