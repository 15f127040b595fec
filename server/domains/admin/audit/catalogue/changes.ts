import type { AuditEntity } from '../store.ts'
import type { Draft } from '../record.ts'

const LEVELS: Readonly<Record<number, string>> = {
  0: 'No access',
  5: 'Minimal Access',
  10: 'Guest',
  20: 'Reporter',
  30: 'Developer',
  40: 'Maintainer',
  50: 'Owner',
}

/** Returns the name of an access level. */
export function levelName(level: number): string {
  return LEVELS[level] ?? String(level)
}

/** Returns a text with its first letter in upper case. */
function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Returns the name of a column for a sentence. */
export function columnWords(name: string): string {
  return name.replaceAll('_', ' ')
}

const VERBS: Readonly<Record<string, string>> = { deleted: 'removed', updated: 'changed' }

/** Returns the verb of an action for the start of a sentence, such as "Removed webhook 3". */
export function verb(action: string): string {
  return capitalize(VERBS[action] ?? action)
}

/** Returns a value for a sentence: at most 100 characters, or "nothing" for an empty one. */
function valueWords(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (value === null || value === undefined || text === '') return 'nothing'
  return text.length > 100 ? `${text.slice(0, 100)}…` : text
}

type Changes = Readonly<Record<string, readonly [unknown, unknown]>>

/** Names of boolean columns. Older events contain their values as 1 and 0. */
const BOOLEAN_COLUMNS = /^(is|can|only|share|require)_|^external$|_(enabled|lock)$/

const booleanValue =
  (name: string) =>
  (value: unknown): unknown =>
    BOOLEAN_COLUMNS.test(name) && (value === 0 || value === 1) ? value === 1 : value

/**
 * Returns an audit event about changed columns; undefined if none changed. The details have `from` and `to` for a
 * single column, and `changes` for several.
 */
export function changesIn(
  kind: string,
  changes: Changes | undefined,
  entity: AuditEntity,
): Draft | undefined {
  const changedColumns = Object.entries(changes ?? {}).map(
    ([name, values]) => [name, values.map(booleanValue(name))] as const,
  )
  const [first] = changedColumns
  if (!first) return undefined
  const sentences = changedColumns.map(
    ([name, [from, to]]) => `${columnWords(name)} from ${valueWords(from)} to ${valueWords(to)}`,
  )
  const [name, [from, to]] = first
  const details =
    changedColumns.length === 1 ? { change: name, from, to } : { changes: Object.fromEntries(changedColumns) }
  return {
    name: changedColumns.length === 1 ? `${kind}_${name}_updated` : `${kind}_updated`,
    message: `Changed ${sentences.join(', ')}`,
    entity,
    details,
  }
}
