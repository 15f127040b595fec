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

const padded = (amount: number, width = 2, fill = '0') => String(amount).padStart(width, fill)

const FIELDS: Readonly<Record<string, (date: Date) => string>> = {
  Y: (date) => String(date.getUTCFullYear()),
  y: (date) => padded(date.getUTCFullYear() % 100),
  m: (date) => padded(date.getUTCMonth() + 1),
  d: (date) => padded(date.getUTCDate()),
  e: (date) => padded(date.getUTCDate(), 2, ' '),
  j: (date) => padded(dayOfYear(date), 3),
  B: (date) => MONTHS[date.getUTCMonth()]!,
  b: (date) => MONTHS[date.getUTCMonth()]!.slice(0, 3),
  A: (date) => DAYS[date.getUTCDay()]!,
  a: (date) => DAYS[date.getUTCDay()]!.slice(0, 3),
  H: (date) => padded(date.getUTCHours()),
  M: (date) => padded(date.getUTCMinutes()),
  S: (date) => padded(date.getUTCSeconds()),
  F: (date) => date.toISOString().slice(0, 10),
  T: (date) => date.toISOString().slice(11, 19),
  '%': () => '%',
}

function dayOfYear(date: Date): number {
  return Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000) + 1
}

/**
 * A moment in a format of strftime(3), in UTC and English; `%-d` omits the padding. Unknown fields stay as they
 * are.
 */
export function strftime(date: Date, format: string): string {
  return format.replace(/%(-?)([A-Za-z%])/g, (match, plain: string, letter: string) => {
    const field = FIELDS[letter]
    if (!field) return match
    return plain ? field(date).replace(/^[0 ]+(?=.)/, '') : field(date)
  })
}
