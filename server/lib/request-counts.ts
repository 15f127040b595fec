/** Upper limits of the duration buckets, in seconds. */
export const DURATION_BUCKETS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const

/** Counts requests and their durations. */
export class RequestCounts {
  /** The number of answers by `METHOD status`. */
  readonly answers = new Map<string, number>()
  /** The number of requests by duration bucket; the last bucket has all longer requests. */
  readonly buckets = new Uint32Array(DURATION_BUCKETS.length + 1)
  /** The sum of all durations. */
  seconds = 0

  add(method: string, status: number, seconds: number): void {
    const key = `${method} ${status}`
    this.answers.set(key, (this.answers.get(key) ?? 0) + 1)
    const at = DURATION_BUCKETS.findIndex((end) => seconds <= end)
    this.buckets[at < 0 ? DURATION_BUCKETS.length : at]! += 1
    this.seconds += seconds
  }
}

/** The counts of an instance, which exist as long as its database is open. */
export function requestCountsOf(db: {
  instance(key: string, make: () => RequestCounts): RequestCounts
}): RequestCounts {
  return db.instance('http.request_counts', () => new RequestCounts())
}
