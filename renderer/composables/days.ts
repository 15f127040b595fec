import { dateLocale } from '../locales/locale.ts'
import { t } from '../locales/t.ts'
export type Day<T> = { day: string; items: T[] }

const formats = {
  long: new Intl.DateTimeFormat(dateLocale, { weekday: 'long', day: 'numeric', month: 'long' }),
  withYear: new Intl.DateTimeFormat(dateLocale, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
  }),
}

/** A readable date: Today, Yesterday, or with its weekday; the year only if it is not the current one. */
export const dayTitle = (date: Date, now: Date): string => {
  const yesterday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1)
  if (date.toDateString() === now.toDateString()) return t('common.today')
  if (date.toDateString() === yesterday.toDateString()) return t('common.yesterday')
  return formats[date.getFullYear() === now.getFullYear() ? 'long' : 'withYear'].format(date)
}

/** Things by the day of their time, in the order they came; a day may appear again later. */
export const groupByDay = <T>(items: readonly T[], timeOf: (item: T) => string, now: number): Day<T>[] => {
  const days: Day<T>[] = []
  for (const item of items) {
    const day = dayTitle(new Date(timeOf(item)), new Date(now))
    const last = days.at(-1)
    if (last?.day === day) last.items.push(item)
    else days.push({ day, items: [item] })
  }
  return days
}

/** The days with only the first rows of all. */
export const firstOfDays = <T>(days: readonly Day<T>[], count: number): Day<T>[] => {
  let left = count
  return days.flatMap(({ day, items }) => {
    const first = items.slice(0, left)
    left -= first.length
    return first.length > 0 ? [{ day, items: first }] : []
  })
}
