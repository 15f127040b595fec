import type { Lane } from './job.ts'

/** Slots per lane. Jobs of `outside` mostly wait. */
export const SLOTS: Readonly<Record<Lane, number>> = { main: 4, outside: 8 }
export const LANES = ['main', 'outside'] as const
/** Done jobs are kept for this long. */
export const KEEP_DONE_DAYS = 7
/** Minimal pause, because ready jobs may wait for another job of their key. */
export const MIN_SLEEP_MS = 50
/** Pause after a failed read or write of the job table. */
export const RETRY_MS = 1000
/** Never sleep longer than this, so that a changed clock is noticed. */
export const MAX_SLEEP_MS = 60_000
/** Smaller clock corrections are ignored. */
export const CLOCK_SLACK_MS = 1000

/**
 * Many subscribers are synchronous. After this time in milliseconds in one turn of the event loop, requests go first.
 */
export const TURN_MS = 20

/** The time in milliseconds that the start waits for jobs that finish interrupted work. */
export const RESUME_MS = 10_000
