import { Cron } from 'croner'

/**
 * The next run of a five-field cron expression after `from` (ms since the epoch) in a time zone; undefined when there
 * is none. Throws for an invalid expression or zone.
 */
export function nextRun(pattern: string, from: number, timezone = 'UTC'): number | undefined {
  const cron = new Cron(pattern, { timezone, paused: true })
  return cron.nextRun(new Date(from))?.getTime()
}
