import type { Lane } from './job.ts'

/** The number of jobs of a lane that run at the same time. Jobs of `outside` mostly wait for other hosts. */
export const SLOTS: Readonly<Record<Lane, number>> = { main: 4, outside: 8 }
export const LANES = ['main', 'outside'] as const
/** The time after which done jobs are removed. */
export const KEEP_DONE_DAYS = 7
/** The shortest pause between two checks for work. A due job may have to wait for another job with its key. */
export const MIN_SLEEP_MS = 50
/** The pause after a failed read or write of the job table. */
export const RETRY_MS = 1000
/** The longest pause between two checks for work, so that a changed clock is noticed. */
export const MAX_SLEEP_MS = 60_000
/** Clock corrections up to this size are ignored. */
export const CLOCK_SLACK_MS = 1000

/**
 * The time in milliseconds that jobs may use in one turn of the event loop; then waiting requests run first. Many
 * subscribers are synchronous.
 */
export const TURN_MS = 20

/** The time in milliseconds that the start waits for jobs that finish interrupted work. */
export const RESUME_MS = 10_000
