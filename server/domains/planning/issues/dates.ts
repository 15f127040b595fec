import { addDays, isoDate } from '../../../lib/clock.ts'

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const NUMBERS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']

/** Makes a day from its parts. The month counts from 0. Undefined for a day that does not exist. */
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

function after(now: string, count: number, unit: string): string {
  if (unit.startsWith('month')) return monthsAfter(now, count)
  if (unit.startsWith('year')) return monthsAfter(now, 12 * count)
  return isoDate(addDays(now, unit.startsWith('week') ? 7 * count : count))
}

/**
 * Parses a day as people write it: `2026-12-24`, `tomorrow`, `in 2 days`, `next week`, `this friday`, `December 24th`.
 * Without a year it is the next such day. Undefined for other texts.
 */
export function parseDay(text: string, now: string): string | undefined {
  const given = text.trim().toLowerCase().replace(/[,.]/g, ' ').replace(/\s+/g, ' ')
  const [, year, month, day] = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(given) ?? []
  if (year) return dayOf(Number(year), Number(month) - 1, Number(day))
  const relative = { today: 0, tomorrow: 1, yesterday: -1 }[given]
  if (relative !== undefined) return isoDate(addDays(now, relative))
  const [, count, unit] = /^(?:in )?(\d{1,3}|[a-z]+) (day|week|month|year)s?(?: from now)?$/.exec(given) ?? []
  if (count && unit) {
    const words = count === 'a' || count === 'next' ? 1 : NUMBERS.indexOf(count)
    const number = /^\d/.test(count) ? Number(count) : words
    return number < 0 ? undefined : after(now, number, unit)
  }
  return weekday(given, now) ?? named(given, now)
}

function weekday(given: string, now: string): string | undefined {
  const [, next, name] = /^(?:(next) |this |on )?([a-z]{3,9})$/.exec(given) ?? []
  const wanted =
    name === undefined ? -1 : WEEKDAYS.findIndex((one) => one === name || one.slice(0, 3) === name)
  if (wanted < 0) return undefined
  const days = (wanted - new Date(now).getUTCDay() + 7) % 7 || 7
  return isoDate(addDays(now, next && days < 7 ? days + 7 : days))
}

function named(given: string, now: string): string | undefined {
  const [, first, second, month2, year = ''] =
    /^(?:([a-z]{3,9}) (\d{1,2})|(\d{1,2}) ([a-z]{3,9}))/.exec(given.replace(/(\d)(st|nd|rd|th)\b/, '$1')) ??
    []
  const word = first ?? year
  const day = Number(second ?? month2)
  const month = MONTHS.findIndex((one) => word.slice(0, 3) === one)
  if (word === '' || month < 0) return undefined
  const [written] = /\d{4}$/.exec(given) ?? []
  if (written) return dayOf(Number(written), month, day)
  const thisYear = dayOf(new Date(now).getUTCFullYear(), month, day)
  return thisYear && thisYear >= isoDate(now)
    ? thisYear
    : dayOf(new Date(now).getUTCFullYear() + 1, month, day)
}
