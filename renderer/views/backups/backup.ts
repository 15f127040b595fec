import type { Backup, BackupOverview } from '../../api/schema.gen.ts'
import { plural } from '../../composables/time.ts'

export type { Backup, BackupOverview }
export type Restore = NonNullable<BackupOverview['restore']>

/** Answers that are stale after a change of a backup. */
export const STALE = ['GET /-/admin/backups*']

/** A passphrase that is shorter is refused. */
export const MIN_PASSPHRASE = 8

/** True while it waits or is being made. */
export const isUnderWay = ({ state }: Backup): boolean => state === 'queued' || state === 'running'

const STEPS: Readonly<Record<string, string>> = {
  waiting: 'Waiting for pushes to end',
  linking: 'Holding the moment',
  database: 'Copying the database',
  writing: 'Writing',
  verifying: 'Reading it again',
  unpacking: 'Unpacking and checking',
  checking: 'Checking the database',
}

/** The current step as text. */
export const stepOf = (step: string | null): string => STEPS[step ?? 'waiting'] ?? 'At work'

/** The progress in percent; null if unknown. */
export const shareOf = (done: number, total: number | null): number | null =>
  total === null || total === 0 ? null : Math.min(100, Math.floor((done / total) * 100))

const ORIGINS: Readonly<Record<string, string>> = {
  scheduled: 'scheduled',
  uploaded: 'uploaded',
  found: 'found in the folder',
}

/** The content and origin of a finished backup. */
export const aboutOf = (one: Backup): string => {
  const { contents, version, origin, asked_by } = one
  const counts = contents?.counts ?? {}
  const parts = [
    contents ? plural(counts['projects'] ?? 0, 'project') : null,
    contents ? plural(counts['repositories'] ?? 0, 'repository', 'repositories') : null,
    contents ? plural(counts['users'] ?? 0, 'user') : null,
    version,
    ORIGINS[origin] ?? (asked_by ? `by ${asked_by}` : null),
  ]
  return parts.filter(Boolean).join(' · ')
}

const DAYS = ['Sundays', 'Mondays', 'Tuesdays', 'Wednesdays', 'Thursdays', 'Fridays', 'Saturdays']

/** When backups are made by themselves, in words. */
export const scheduleText = ({ frequency, hour, weekday, keep }: BackupOverview['schedule']): string => {
  if (frequency === 'off') return 'Not scheduled'
  const when = frequency === 'daily' ? 'Daily' : DAYS[weekday]
  return `${when} at ${String(hour).padStart(2, '0')}:00 UTC, ${keep} kept`
}

/** The days of the week, for choosing. */
export const WEEKDAYS = DAYS.map((name, value) => ({ value, label: name }))
