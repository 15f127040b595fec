const LEVELS: Readonly<Record<number, string>> = {
  0: 'No access',
  5: 'Minimal Access',
  10: 'Guest',
  20: 'Reporter',
  30: 'Developer',
  40: 'Maintainer',
  50: 'Owner',
}

/** The name of an access level. */
export function levelName(level: number): string {
  return LEVELS[level] ?? String(level)
}

/** `created` → `Created`. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** The name of a column as part of a sentence. */
export function columnWords(name: string): string {
  return name.replaceAll('_', ' ')
}

const PAST: Readonly<Record<string, string>> = { deleted: 'removed', updated: 'changed' }

/** The verb of an action, as in "Removed webhook 3". */
export function verb(action: string): string {
  return capital(PAST[action] ?? action)
}

/** A value as part of a sentence: shortened; "nothing" for an empty one. */
export function valueWords(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (value === null || value === undefined || text === '') return 'nothing'
  return text.length > 100 ? `${text.slice(0, 100)}…` : text
}
