/** The recent time that a chart covers, counted by day or by week. */
export interface Period {
  /** The first moment. */
  readonly from: string
  readonly by: 'day' | 'week'
}

/** SQL for the day or the Monday (UTC) of the column `created_at`. */
export const DAY_OF: Readonly<Record<Period['by'], string>> = {
  day: 'substr(created_at, 1, 10)',
  // SQLite's weekday modifier moves forward to the next Sunday unless the day is one.
  week: "date(substr(created_at, 1, 10), 'weekday 0', '-6 days')",
}

const DAY_MS = 86_400_000

/** The period of the last days up to a moment. It begins with a whole day, or with a Monday if it is counted by week. */
export function periodOf(now: string, days: number, by: Period['by']): Period {
  const today = Math.floor(Date.parse(now) / DAY_MS)
  const first = today - days + 1
  // 1 January 1970 was a Thursday.
  const monday = first - ((first + 3) % 7)
  return { from: new Date((by === 'week' ? monday : first) * DAY_MS).toISOString(), by }
}
