import { z } from 'zod'

const value = z.union([z.string(), z.number(), z.boolean(), z.null()])

/**
 * Columns of an issue or merge request that a change gave another value: before, and after. Descriptions are left out:
 * they are long, and the events that need the former one say it themselves.
 */
export const columnChangesShape = z.record(z.string(), z.tuple([value, value]))

/** Columns with their former and their new value. */
export type ColumnChanges = z.output<typeof columnChangesShape>

type Row = Readonly<Record<string, unknown>>

/** Counters that triggers keep, and what only the check whether it can be merged remembers. */
const UNTOLD = new Set([
  'description',
  'user_notes_count',
  'upvotes',
  'downvotes',
  'checked_source_sha',
  'checked_target_sha',
])

/** In which columns two states of one row differ. */
export function columnChanges(before: object, after: object): ColumnChanges {
  const [was, is] = [before as Row, after as Row]
  const names = Object.keys(is).filter((name) => name in was && was[name] !== is[name] && !UNTOLD.has(name))
  return Object.fromEntries(names.map((name) => [name, [was[name], is[name]]])) as ColumnChanges
}

/** In which of some columns two states of one row differ, as an event says it; nothing where they do not. */
export function changesOf(
  names: readonly string[],
  before: object,
  after: object,
): { changes?: ColumnChanges } {
  const differing = Object.entries(columnChanges(before, after)).filter(([name]) => names.includes(name))
  return differing.length > 0 ? { changes: Object.fromEntries(differing) } : {}
}

/** What several changes came to, one after the other: what is again as it was did not change. */
export function joinChanges(all: readonly ColumnChanges[]): ColumnChanges {
  const joined: ColumnChanges = {}
  for (const changes of all)
    for (const [name, [was, is]] of Object.entries(changes)) joined[name] = [(joined[name] ?? [was])[0], is]
  return Object.fromEntries(Object.entries(joined).filter(([, [was, is]]) => was !== is))
}
