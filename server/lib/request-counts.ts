/** Upper limits of the duration buckets, in seconds. */
export const SPANS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const

/** Counts requests and their durations. */
export class RequestCounts {
  /** By `METHOD status`. */
  readonly answers = new Map<string, number>()
  /** By bucket, and one for longer requests. */
  readonly spans = new Uint32Array(SPANS.length + 1)
  seconds = 0

  add(method: string, status: number, seconds: number): void {
    const key = `${method} ${status}`
    this.answers.set(key, (this.answers.get(key) ?? 0) + 1)
    const at = SPANS.findIndex((end) => seconds <= end)
    this.spans[at < 0 ? SPANS.length : at]! += 1
    this.seconds += seconds
  }
}

/** The counts of an instance, which exist as long as its database is open. */
export function requestCountsOf(db: {
  instance(key: string, make: () => RequestCounts): RequestCounts
}): RequestCounts {
  return db.instance('http.request_counts', () => new RequestCounts())
}
