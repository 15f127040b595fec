import { Cron } from 'croner'

/** The next moment a five-field cron expression names after `from` (ms since the epoch), in UTC; undefined when never. */
export function nextRun(pattern: string, from: number): number | undefined {
  const cron = new Cron(pattern, { timezone: 'UTC', paused: true })
  return cron.nextRun(new Date(from))?.getTime()
}
