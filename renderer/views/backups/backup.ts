import type { Backup, BackupOverview } from '../../api/schema.gen.ts'
import { t } from '../../locales/t.ts'

export type { Backup, BackupOverview }
export type Restore = NonNullable<BackupOverview['restore']>

/** Answers that are stale after a change of a backup. */
export const STALE = ['GET /-/admin/backups*']

/** A passphrase that is shorter is refused. */
export const MIN_PASSPHRASE = 8

/** True while it waits or is being made. */
export const isUnderWay = ({ state }: Backup): boolean => state === 'queued' || state === 'running'

const STEPS: Readonly<Record<string, string>> = {
  waiting: t('backups.waiting_for_pushes_to_finish'),
  linking: t('backups.taking_the_snapshot'),
  database: t('backups.copying_the_database'),
  writing: t('backups.writing'),
  verifying: t('backups.verifying'),
  unpacking: t('backups.unpacking_and_checking'),
  checking: t('backups.checking_the_database'),
}

/** The current step as text. */
export const stepOf = (step: string | null): string => STEPS[step ?? 'waiting'] ?? t('backups.in_progress')

/** The progress in percent; null if unknown. */
export const shareOf = (done: number, total: number | null): number | null =>
  total === null || total === 0 ? null : Math.min(100, Math.floor((done / total) * 100))

const ORIGINS: Readonly<Record<string, string>> = {
  scheduled: t('backups.scheduled'),
  uploaded: t('backups.uploaded'),
  found: t('backups.found_in_the_folder'),
}

/** The content and origin of a finished backup. */
export const aboutOf = (one: Backup): string => {
  const { contents, version, origin, asked_by } = one
  const counts = contents?.counts ?? {}
  const parts = [
    contents ? t('count.projects', { count: counts['projects'] ?? 0 }) : null,
    contents ? t('count.repositories', { count: counts['repositories'] ?? 0 }) : null,
    contents ? t('count.users', { count: counts['users'] ?? 0 }) : null,
    version,
    ORIGINS[origin] ?? (asked_by ? t('backups.by_asked_by', { asked_by }) : null),
  ]
  return parts.filter(Boolean).join(' · ')
}

const DAYS = [
  t('backups.sundays'),
  t('backups.mondays'),
  t('backups.tuesdays'),
  t('backups.wednesdays'),
  t('backups.thursdays'),
  t('backups.fridays'),
  t('backups.saturdays'),
]

/** When backups are made by themselves, in words. */
export const scheduleText = ({ frequency, hour, weekday, keep }: BackupOverview['schedule']): string => {
  if (frequency === 'off') return t('backups.not_scheduled')
  const when = frequency === 'daily' ? t('backups.daily') : DAYS[weekday]
  return t('backups.when_at_pad_start_00_utc_keep_kept', {
    when,
    pad_start: String(hour).padStart(2, '0'),
    keep,
  })
}

/** The days of the week, for choosing. */
export const WEEKDAYS = DAYS.map((name, value) => ({ value, label: name }))
