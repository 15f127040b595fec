import { t } from '../../../locales/t.ts'
/** Common schedules, for users without knowledge of cron. */
export const CRON_CHOICES = [
  { value: '0 4 * * *', label: t('pipelines.every_day_at_4_00') },
  { value: '0 4 * * 0', label: t('pipelines.every_sunday_at_4_00') },
  { value: '0 4 1 * *', label: t('pipelines.on_the_1st_of_each_month_at_4_00') },
  { value: '0 * * * *', label: t('pipelines.every_hour') },
  { value: '*/15 * * * *', label: t('pipelines.every_15_minutes') },
] as const

/** The description of a cron line if it is one of those, otherwise the line itself. */
export const cronWords = (cron: string) =>
  CRON_CHOICES.find((one) => one.value === cron.trim())?.label ?? cron
