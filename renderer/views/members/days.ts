const DAY_MS = 24 * 3600 * 1000

/** The day that is so many days from today, as a date field writes it: `2026-11-22`. */
export const dayAfter = (days: number): string =>
  new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10)
