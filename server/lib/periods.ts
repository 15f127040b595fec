const DAY_MS = 86_400_000

/** The recent time that a chart covers, counted by day or by week. */
export interface Period {
  /** The beginning, an ISO time. */
  readonly from: string
  readonly by: 'day' | 'week'
}

/** The Monday (UTC) of the week of a day, both as days since 1970. 1 January 1970 was a Thursday. */
const mondayOf = (day: number): number => day - ((((day + 3) % 7) + 7) % 7)

/** The period of the last days up to a time. It begins with a whole day, or with a Monday if it is counted by week. */
export function periodOf(now: string, days: number, by: Period['by']): Period {
  const first = Math.floor(Date.parse(now) / DAY_MS) - days + 1
  return { from: new Date((by === 'week' ? mondayOf(first) : first) * DAY_MS).toISOString(), by }
}

/** Groups rows by their day or by the Monday of their week, in the order of the rows. */
export function groupByPeriod<Row extends { readonly day: string }>(
  rows: readonly Row[],
  by: Period['by'],
): Map<string, Row[]> {
  const starts = new Map<string, string>()
  const startOf = (day: string): string => {
    const cached = starts.get(day)
    if (cached !== undefined) return cached
    const start = new Date(mondayOf(Date.parse(day) / DAY_MS) * DAY_MS).toISOString().slice(0, 10)
    starts.set(day, start)
    return start
  }
  return Map.groupBy(rows, ({ day }) => (by === 'day' ? day : startOf(day)))
}
