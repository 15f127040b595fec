const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

const pad = (amount: number, width = 2, fill = '0') => String(amount).padStart(width, fill)

const FIELDS: Readonly<Record<string, (date: Date) => string>> = {
  Y: (date) => String(date.getUTCFullYear()),
  y: (date) => pad(date.getUTCFullYear() % 100),
  m: (date) => pad(date.getUTCMonth() + 1),
  d: (date) => pad(date.getUTCDate()),
  e: (date) => pad(date.getUTCDate(), 2, ' '),
  j: (date) => pad(dayOfYear(date), 3),
  B: (date) => MONTHS[date.getUTCMonth()]!,
  b: (date) => MONTHS[date.getUTCMonth()]!.slice(0, 3),
  A: (date) => DAYS[date.getUTCDay()]!,
  a: (date) => DAYS[date.getUTCDay()]!.slice(0, 3),
  H: (date) => pad(date.getUTCHours()),
  M: (date) => pad(date.getUTCMinutes()),
  S: (date) => pad(date.getUTCSeconds()),
  F: (date) => date.toISOString().slice(0, 10),
  T: (date) => date.toISOString().slice(11, 19),
  '%': () => '%',
}

function dayOfYear(date: Date): number {
  return Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000) + 1
}

/**
 * Formats a time as strftime(3) does, in UTC and English; `%-d` omits the padding. Unknown fields stay unchanged.
 */
export function strftime(date: Date, format: string): string {
  return format.replace(/%(-?)([A-Za-z%])/g, (match, plain: string, letter: string) => {
    const field = FIELDS[letter]
    if (!field) return match
    return plain ? field(date).replace(/^[0 ]+(?=.)/, '') : field(date)
  })
}
