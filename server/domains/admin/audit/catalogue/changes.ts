import type { AuditEntity } from '../store-look.ts'
import type { Draft } from '../record.ts'
import { columnWords, valueWords } from '../words.ts'

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
