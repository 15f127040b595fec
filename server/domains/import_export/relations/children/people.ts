import type { Fields, Target } from '../relation.ts'

/** Who a field names; null where it names nobody. Whoever imports stands in for those who are not here. */
export function personOrNone(record: Fields, name: string, into: Target): number | null {
  const id = record[name]
  return typeof id === 'number' ? into.person(id).id : null
}
