const WORDS: Readonly<Record<number, string>> = {
  5: 'Minimal Access',
  10: 'Guest',
  20: 'Reporter',
  30: 'Developer',
  40: 'Maintainer',
  50: 'Owner',
}

/** The word for a level in events of members. */
export function roleWord(level: number): string {
  return WORDS[level] ?? 'No access'
}
