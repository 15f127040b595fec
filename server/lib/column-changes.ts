import { z } from 'zod'

const value = z.union([z.string(), z.number(), z.boolean(), z.null()])

/**
 * Changed columns of an issue or merge request with their old and new values. Descriptions are left out, because they are
 * long. Events that need the old description contain it.
 */
export const columnChangesShape = z.record(z.string(), z.tuple([value, value]))

/** Changed columns, each with its old and its new value. */
export type ColumnChanges = z.output<typeof columnChangesShape>

type Row = Readonly<Record<string, unknown>>

/** Columns that events leave out: long texts, counters, and the state of the mergeability check. */
const NOT_PUBLISHED = new Set([
  'description',
  'user_notes_count',
  'upvotes',
  'downvotes',
  'checked_source_sha',
  'checked_target_sha',
])

/** The columns in which two states of one row differ. */
export function columnChanges(before: object, after: object): ColumnChanges {
  const [oldRow, newRow] = [before as Row, after as Row]
  const names = Object.keys(newRow).filter(
    (name) => name in oldRow && oldRow[name] !== newRow[name] && !NOT_PUBLISHED.has(name),
  )
  return Object.fromEntries(names.map((name) => [name, [oldRow[name], newRow[name]]])) as ColumnChanges
}

/** The listed columns in which two states of a row differ, for an event; empty when they are equal. */
export function changesOf(
  names: readonly string[],
  before: object,
  after: object,
): { changes?: ColumnChanges } {
  const differences = Object.entries(columnChanges(before, after)).filter(([name]) => names.includes(name))
  return differences.length > 0 ? { changes: Object.fromEntries(differences) } : {}
}

/** Merges several changes in order; a column with its original value at the end did not change. */
export function joinChanges(all: readonly ColumnChanges[]): ColumnChanges {
  const result: ColumnChanges = {}
  for (const changes of all)
    for (const [name, [oldValue, newValue]] of Object.entries(changes))
      result[name] = [(result[name] ?? [oldValue])[0], newValue]
  return Object.fromEntries(
    Object.entries(result).filter(([, [oldValue, newValue]]) => oldValue !== newValue),
  )
}
