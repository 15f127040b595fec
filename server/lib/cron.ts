import { Cron } from 'croner'

/**
 * The next moment a five-field cron expression names after `from` (ms since the epoch), by the clock of a time zone;
 * undefined when never. Throws for what is no expression or zone.
 */
export function nextRun(pattern: string, from: number, timezone = 'UTC'): number | undefined {
  const cron = new Cron(pattern, { timezone, paused: true })
  return cron.nextRun(new Date(from))?.getTime()
}
