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

/** The name of an access level. */
export function levelName(level: number): string {
  return LEVELS[level] ?? String(level)
}

/** `created` → `Created`. */
function capital(text: string): string {
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
function valueWords(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (value === null || value === undefined || text === '') return 'nothing'
  return text.length > 100 ? `${text.slice(0, 100)}…` : text
}

type Changes = Readonly<Record<string, readonly [unknown, unknown]>>

/** Boolean columns, which the database stores as 1 and 0. */
const YES_OR_NO = /^(is|can|only|share|require)_|^external$|_(enabled|lock)$/

const plain =
  (name: string) =>
  (value: unknown): unknown =>
    YES_OR_NO.test(name) && (value === 0 || value === 1) ? value === 1 : value

/**
 * Describes the columns with a changed value; undefined if none changed. One change has its own `from` and `to`, several
 * are listed together under `changes`.
 */
export function changesIn(
  kind: string,
  changes: Changes | undefined,
  entity: AuditEntity,
): Draft | undefined {
  const all = Object.entries(changes ?? {}).map(([name, values]) => [name, values.map(plain(name))] as const)
  const [first] = all
  if (!first) return undefined
  const sentences = all.map(
    ([name, [from, to]]) => `${columnWords(name)} from ${valueWords(from)} to ${valueWords(to)}`,
  )
  const [name, [from, to]] = first
  const details = all.length === 1 ? { change: name, from, to } : { changes: Object.fromEntries(all) }
  return {
    name: all.length === 1 ? `${kind}_${name}_updated` : `${kind}_updated`,
    message: `Changed ${sentences.join(', ')}`,
    entity,
    details,
  }
}
