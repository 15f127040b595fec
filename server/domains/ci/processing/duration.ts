/** When a job ran; without an end it still runs. */
export interface Run {
  readonly started_at: string
  readonly finished_at: string | null
}

/** Whole seconds in which at least one job ran: overlaps count once, pauses do not (spec ci 2.2). `runs` by their begin. */
export function secondsOf(runs: readonly Run[], now: string): number {
  let total = 0
  let until = -Infinity
  for (const run of runs) {
    const start = Math.max(Date.parse(run.started_at), until)
    const end = Date.parse(run.finished_at ?? now)
    if (end <= start) continue
    total += end - start
    until = end
  }
  return Math.floor(total / 1000)
}
