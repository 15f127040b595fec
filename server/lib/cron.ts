import { Cron } from 'croner'

/**
 * The next run of a five-field cron expression after `from` (ms since the epoch) in a time zone; undefined when there
 * is none. Throws for an invalid expression or zone.
 */
export function nextRun(pattern: string, from: number, timezone = 'UTC'): number | undefined {
  // For a time zone croner asks `Intl`, which takes 30 ms to load. The instance's own crons are in UTC.
  const zone = timezone === 'UTC' ? { utcOffset: 0 } : { timezone }
  const cron = new Cron(pattern, { ...zone, paused: true })
  return cron.nextRun(new Date(from))?.getTime()
}
