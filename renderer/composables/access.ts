/** The levels a member can have, lowest first. */
export const ACCESS_LEVELS = [
  { value: 10, label: 'Guest' },
  { value: 20, label: 'Reporter' },
  { value: 30, label: 'Developer' },
  { value: 40, label: 'Maintainer' },
  { value: 50, label: 'Owner' },
] as const

/** The word for a level. */
export const accessLabel = (level: number): string =>
  ACCESS_LEVELS.find((one) => one.value === level)?.label ?? `Level ${level}`
