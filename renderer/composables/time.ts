import { dateLocale, locale } from '../locales/locale.ts'
import { t } from '../locales/t.ts'
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

// Formats are made once, because making one takes longer than a row of a list.
const weekday = new Intl.DateTimeFormat(locale, { weekday: 'short' })
const month = new Intl.DateTimeFormat(locale, { month: 'short' })

const sameDay = (a: Date, b: Date) => a.toDateString() === b.toDateString()

/** How long ago, in the few characters a row has for it: `just now`, `6 min ago`, `3 h ago`, `yesterday`, `Wed`, `12 Nov`, `12 Nov 2025`. */
export const shortTime = (iso: string, now: number): string => {
  const then = new Date(iso)
  const age = now - then.getTime()
  if (Number.isNaN(age)) return iso
  if (age < 0) return untilTime(then, now)
  if (age < MINUTE) return t('common.just_now')
  if (age < HOUR) return t('common.floor_min_ago', { floor: Math.floor(age / MINUTE) })
  if (sameDay(then, new Date(now)) || age < 6 * HOUR)
    return t('common.floor_h_ago', { floor: Math.floor(age / HOUR) })
  if (sameDay(then, new Date(now - DAY))) return t('common.yesterday_2')
  if (age < 6 * DAY) return weekday.format(then)
  return dayOf(then, now)
}

const dayOf = (date: Date, now: number) => {
  const day = `${date.getDate()}${locale === 'de' ? '.' : ''}`
  const text = `${day} ${month.format(date)}`
  return date.getFullYear() === new Date(now).getFullYear() ? text : `${text} ${date.getFullYear()}`
}

const untilTime = (then: Date, now: number) => {
  const left = then.getTime() - now
  if (left < MINUTE) return t('common.now')
  if (left < HOUR) return t('common.in_floor_min', { floor: Math.floor(left / MINUTE) })
  if (left < DAY) return t('common.in_floor_h', { floor: Math.floor(left / HOUR) })
  if (left < 14 * DAY) return t('common.in_floor_days', { floor: Math.floor(left / DAY) })
  return dayOf(then, now)
}

/** A day without a time as distance from now: `today`, `yesterday`, `12 Nov`. */
export const shortDay = (day: string, now: number): string => {
  const date = new Date(`${day}T00:00:00`)
  if (Number.isNaN(date.getTime())) return day
  if (sameDay(date, new Date(now))) return t('common.today_2')
  if (sameDay(date, new Date(now - DAY))) return t('common.yesterday_2')
  return dayOf(date, now)
}

const exactly = new Intl.DateTimeFormat(dateLocale, {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
})

/** The exact moment, for the tooltip: `Friday, 20 November 2026, 12:38:36`. */
export const exactTime = (iso: string): string => {
  const date = new Date(iso)
  return Number.isNaN(date.getTime()) ? iso : exactly.format(date)
}

/** A date without its time: `20 November 2027`. */
export const dayText = (iso: string): string => {
  const date = new Date(iso)
  if (Number.isNaN(date.getTime())) return iso
  return date.toLocaleDateString(dateLocale, { day: 'numeric', month: 'long', year: 'numeric' })
}

const UNITS = [t('count.bytes'), 'kB', 'MB', 'GB', 'TB']

const oneDecimal = new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 })

/** `18.4 MB`, `214 GB`, `512 bytes`. */
export const byteSize = (bytes: number): string => {
  let value = bytes
  let unit = 0
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000
    unit += 1
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : oneDecimal.format(value)} ${UNITS[unit]}`
}

const inPercent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 })

/** `86%`, of a value from 0 to 100. */
export const percentText = (value: number): string => inPercent.format(value / 100)

/** `1,204`. */
export const count = (value: number): string => value.toLocaleString(locale)
