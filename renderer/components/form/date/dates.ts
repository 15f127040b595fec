import { instanceNow } from '../../../composables/instanceClock.ts'
import { dateLocale } from '../../../locales/locale.ts'
import { t } from '../../../locales/t.ts'

/** The days that a date field offers, counted from today. */
export const CHOICES = [
  { label: t('common.today'), days: 0 },
  { label: t('form.tomorrow'), days: 1 },
  { label: t('form.in_a_week'), days: 7 },
]

const DAY_MS = 24 * 3_600_000
const UNITS = ['day', 'week', 'month', 'year'] as const
type Unit = (typeof UNITS)[number]

const two = (value: number) => String(value).padStart(2, '0')
const utc = (day: string) => new Date(`${day.slice(0, 10)}T00:00:00Z`)
const isoDay = (date: Date) => date.toISOString().slice(0, 10)

/** The day and the time of the instance's clock in the time zone of this machine. */
const today = () => {
  const now = new Date(instanceNow())
  const day = [now.getFullYear(), two(now.getMonth() + 1), two(now.getDate())].join('-')
  return { day, time: `${two(now.getHours())}:${two(now.getMinutes())}` }
}

/** The day so many days, weeks, months or years after another one. The last day of a month stays in its month. */
export const dayPlus = (day: string, count: number, unit: Unit = 'day'): string => {
  const date = utc(day)
  if (unit === 'day' || unit === 'week')
    return isoDay(new Date(date.getTime() + count * DAY_MS * (unit === 'week' ? 7 : 1)))
  const month = date.getUTCMonth() + count * (unit === 'year' ? 12 : 1)
  const last = new Date(Date.UTC(date.getUTCFullYear(), month + 1, 0)).getUTCDate()
  return isoDay(new Date(Date.UTC(date.getUTCFullYear(), month, Math.min(date.getUTCDate(), last))))
}

/** Lower case without accents and points, so that `1. März` is found as `1 marz`. */
const fold = (text: string) =>
  text
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[\s,.]+/g, ' ')
    .trim()

/** Two digits are a year of this century. */
const isoOf = (year: number, month: number, day: number): string | null => {
  const full = year < 100 ? 2000 + year : year
  const text = `${String(full).padStart(4, '0')}-${two(month)}-${two(day)}`
  const date = utc(text)
  // The 31st of a short month becomes a day of the next one.
  return !Number.isNaN(date.getTime()) && isoDay(date) === text ? text : null
}

const timeOf = (hours: number, minutes: number): string | null =>
  hours < 24 && minutes < 60 ? `${two(hours)}:${two(minutes)}` : null

/** `14:30`, `9:05 am`, `2 pm`. */
const readTime = (text: string): string | null => {
  const [, hours, minutes = '0', half] = /^(\d{1,2})(?::(\d{2}))?(?::\d{2})?\s*([ap]m)?$/.exec(text) ?? []
  if (hours === undefined) return null
  if (!half) return timeOf(Number(hours), Number(minutes))
  const inHalf = Number(hours)
  return inHalf < 1 || inHalf > 12 ? null : timeOf((inHalf % 12) + (half === 'pm' ? 12 : 0), Number(minutes))
}

/** Reads and writes days and moments in the form and the words of a language. */
export const datesIn = (tag: string) => {
  const inUtc = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(tag, { ...options, timeZone: 'UTC' })
  const short = inUtc({ day: 'numeric', month: 'short', year: 'numeric' })
  const long = inUtc({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' })
  const numeric = inUtc({ day: '2-digit', month: '2-digit', year: 'numeric' })
  const order = numeric.formatToParts().flatMap(({ type }) => (type === 'literal' ? [] : [type]))
  const namesOf = (options: Intl.DateTimeFormatOptions, days: readonly string[]) =>
    days.map((day) => fold(inUtc(options).format(utc(day))))
  const MONTHS = Array.from({ length: 12 }, (_, index) => `2026-${two(index + 1)}-01`)
  const months = namesOf({ month: 'long' }, MONTHS)
  const shortMonths = namesOf({ month: 'short' }, MONTHS)
  // This week begins with a Sunday, like the numbers of weekdays.
  const weekdays = namesOf(
    { weekday: 'long' },
    Array.from({ length: 7 }, (_, index) => dayPlus('2026-11-22', index)),
  )
  const inWords = new Intl.RelativeTimeFormat(tag, { numeric: 'auto' })
  const inNumbers = new Intl.RelativeTimeFormat(tag)

  /** `today`, `tomorrow`, `next week`, `in 3 days`, `2 months ago`. */
  const relativeDay = (words: string, from: string): string | null => {
    const choice = CHOICES.find(({ label }) => fold(label) === words)
    if (choice) return dayPlus(from, choice.days)
    const number = /\d{1,3}/.exec(words)
    for (const unit of UNITS) {
      if (number) {
        const count = Number(number[0])
        if (fold(inNumbers.format(count, unit)) === words) return dayPlus(from, count, unit)
        if (fold(inNumbers.format(-count, unit)) === words) return dayPlus(from, -count, unit)
      } else {
        const counts = unit === 'day' ? [-2, -1, 0, 1, 2] : [-1, 1]
        const count = counts.find((one) => fold(inWords.format(one, unit)) === words)
        if (count !== undefined) return dayPlus(from, count, unit)
      }
    }
    return null
  }

  /** A weekday is the next one after today. */
  const weekday = (words: string, from: string): string | null => {
    const index = words.length < 2 ? -1 : weekdays.findIndex((name) => name.startsWith(words))
    return index < 0 ? null : dayPlus(from, (index - utc(from).getUTCDay() + 7) % 7 || 7)
  }

  /** A day without a year is the next one. */
  const withoutYear = (month: number, day: number, from: string): string | null => {
    const year = Number(from.slice(0, 4))
    return [year, year + 1].map((one) => isoOf(one, month, day)).find((one) => one && one >= from) ?? null
  }

  const monthOf = (word: string) =>
    months.findIndex(
      (name, index) => shortMonths[index] === word || (word.length > 2 && name.startsWith(word)),
    )

  /** `2026-12-24`, `24/12/2026`, `24.12.`, `24 Dec 2026`, `December 24`. */
  const calendarDay = (words: string, from: string): string | null => {
    const parts = words.split(/[\s/-]+/).map((part) => part.replace(/^(\d+)(st|nd|rd|th)$/, '$1'))
    const numbers = parts.filter((part) => /^(\d{1,2}|\d{4})$/.test(part)).map(Number)
    const [named] = parts.filter((part) => !/^\d/.test(part))
    const month = named === undefined ? -1 : monthOf(named)
    if (parts.length !== numbers.length + (month < 0 ? 0 : 1)) return null
    const [first = 0, second = 0, third] = numbers
    if (month >= 0) {
      if (numbers.length === 1) return withoutYear(month + 1, first, from)
      return numbers.length === 2 ? isoOf(second, month + 1, first) : null
    }
    if (numbers.length === 3 && first > 999) return isoOf(first, second, third!)
    const parted = order.filter((type) => numbers.length === 3 || type !== 'year')
    if (parted.length !== numbers.length) return null
    const valueOf = (type: string) => numbers[parted.indexOf(type as 'day')] ?? 0
    return numbers.length === 3
      ? isoOf(valueOf('year'), valueOf('month'), valueOf('day'))
      : withoutYear(valueOf('month'), valueOf('day'), from)
  }

  const readDay = (text: string, from: string): string | null => {
    const words = fold(text)
    return relativeDay(words, from) ?? weekday(words, from) ?? calendarDay(words, from)
  }

  const readMoment = (text: string, now: ReturnType<typeof today>, time: string): string | null => {
    const words = text.trim().toLowerCase()
    if (fold(words) === fold(inWords.format(0, 'second'))) return `${now.day}T${now.time}`
    const [, before = '', typed] =
      /^(.*?)(?:(?<=\d)t|[\s,]+|^)(\d{1,2}:\d{2}(?::\d{2})?(?:\s*[ap]m)?|\d{1,2}\s*[ap]m)$/.exec(words) ?? []
    const clock = typed === undefined ? time : readTime(typed)
    const rest = typed === undefined ? words : before.trim()
    const day = rest === '' ? now.day : readDay(rest, now.day)
    return day && clock ? `${day}T${clock}` : null
  }

  const timePart = (value: string) => value.slice(11, 16)
  const isValue = (value: string) => /^\d{4}-\d{2}-\d{2}/.test(value)
  const withTime = (day: string, value: string) => (timePart(value) ? `${day}, ${timePart(value)}` : day)

  return {
    /** The value of a typed text: empty for an empty text, null if it is no date. `time` is what a moment has if none is typed. */
    read: (text: string, time?: string): string | null => {
      if (text.trim() === '') return ''
      return time === undefined ? readDay(text, today().day) : readMoment(text, today(), time)
    },
    /** A value as the field shows it: `24 Dec 2026`, `24 Dec 2026, 14:30`. */
    write: (value: string) => (isValue(value) ? withTime(short.format(utc(value)), value) : ''),
    /** A value in words: `Thursday, 24 December 2026`. */
    writeLong: (value: string) => (isValue(value) ? withTime(long.format(utc(value)), value) : ''),
    /** A value in digits, as people type it: `24/12/2026`. */
    writeDigits: (value: string) => numeric.format(utc(value)),
    timePart,
    today,
  }
}

/** Dates in the language of the window. */
export const dates = datesIn(dateLocale)
