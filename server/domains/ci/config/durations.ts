export { secondsOf } from '../../../lib/durations.ts'

const DAY = 24 * 60 * 60

/** Limits that durations of keywords have, in seconds. */
export const WEEK = 7 * DAY
export const MONTH = 30 * DAY
