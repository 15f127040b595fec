/** Common schedules, for users without knowledge of cron. */
export const CRON_CHOICES = [
  { value: '0 4 * * *', label: 'Every day at 4:00' },
  { value: '0 4 * * 0', label: 'Every Sunday at 4:00' },
  { value: '0 4 1 * *', label: 'On the 1st of each month at 4:00' },
  { value: '0 * * * *', label: 'Every hour' },
  { value: '*/15 * * * *', label: 'Every quarter of an hour' },
] as const

/** The description of a cron line if it is one of those, otherwise the line itself. */
export const cronWords = (cron: string) =>
  CRON_CHOICES.find((one) => one.value === cron.trim())?.label ?? cron
