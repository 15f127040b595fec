import type { Fields, Target } from '../relation.ts'

/**
 * Takes over the parts of a record one by one: one that cannot be taken is told and passed over, the others and the record
 * itself go on.
 */
export function takeEach(
  into: Target,
  relation: string,
  records: readonly Fields[],
  take: (record: Fields) => void,
): void {
  for (const record of records) {
    try {
      take(record)
    } catch (error) {
      into.skip(relation, error)
    }
  }
}
