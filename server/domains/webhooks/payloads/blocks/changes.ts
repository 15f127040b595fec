/** What stood in a field before, and what stands there now. */
export interface Change {
  readonly previous: unknown
  readonly current: unknown
}

/** The fields in which two forms of one thing differ (spec administration 3.8, CH). */
export function changesOf(
  previous: Readonly<Record<string, unknown>>,
  current: Readonly<Record<string, unknown>>,
): Record<string, Change> {
  const changed = Object.keys(previous).filter(
    (name) => JSON.stringify(previous[name]) !== JSON.stringify(current[name]),
  )
  return Object.fromEntries(
    changed.map((name) => [name, { previous: previous[name] ?? null, current: current[name] ?? null }]),
  )
}
