/** A variable as pipelines have it. */
export interface Variable {
  readonly key: string
  readonly value: string
  /** Neither expanded nor expanded into others. */
  readonly raw?: boolean
}

const NAME = /\$\$|%%|\$(\w+)|\$\{(\w+)\}|%(\w+)%/g

/** Names that a value refers to. */
export function namesIn(text: string): string[] {
  if (!/[$%]/.test(text)) return []
  return [...text.matchAll(NAME)].flatMap(([, plain, braced, percent]) => plain ?? braced ?? percent ?? [])
}

/** A text with `$name`, `${name}` and `%name%` replaced; unknown names by nothing (or kept), `$$` stays (spec ci 2.14). */
export function expandText(
  text: string,
  lookup: (name: string) => string | null | undefined,
  keepUnknown = false,
): string {
  if (!/[$%]/.test(text)) return text
  return text.replace(NAME, (whole, plain?: string, braced?: string, percent?: string) => {
    const name = plain ?? braced ?? percent
    if (name === undefined) return whole
    return lookup(name) ?? (keepUnknown ? whole : '')
  })
}

/** What comes of variables that refer to each other. */
export interface Expanded {
  readonly values: ReadonlyMap<string, string>
  /** Names that refer to each other in a ring, or null. */
  readonly cycle: readonly string[] | null
}

/** Longer values are cut: a handful of variables that double each other would fill the memory. */
const MAX_VALUE = 128 * 1024

/** Expands variables into each other, later ones of the same name first. In a ring the values stay as they are. */
export function expandAll(variables: readonly Variable[]): Expanded {
  const byName = new Map(variables.map((one) => [one.key, one]))
  const done = new Map<string, string>()
  const cycle = ringOf(byName, done)
  if (cycle) for (const [key, { value }] of byName) if (!done.has(key)) done.set(key, value)
  const values = new Map([...byName.keys()].map((key) => [key, done.get(key) ?? '']))
  return { values, cycle }
}

/** Depth first without recursion; fills `done` with the expanded values and gives the first ring, if there is one. */
function ringOf(byName: ReadonlyMap<string, Variable>, done: Map<string, string>): string[] | null {
  const open = new Set<string>()
  for (const start of byName.keys()) {
    const stack = [start]
    while (stack.length > 0) {
      const key = stack.at(-1)!
      const variable = byName.get(key)!
      const wanted = variable.raw ? [] : namesIn(variable.value).filter((name) => byName.has(name))
      const next = done.has(key) ? undefined : wanted.find((name) => !done.has(name))
      if (next === undefined) {
        if (!done.has(key)) done.set(key, resolved(variable, done, byName))
        open.delete(key)
        stack.pop()
      } else {
        open.add(key)
        if (open.has(next)) return [...open].slice([...open].indexOf(next))
        stack.push(next)
      }
    }
  }
  return null
}

function resolved(
  { value, raw }: Variable,
  done: ReadonlyMap<string, string>,
  byName: ReadonlyMap<string, Variable>,
): string {
  if (raw) return value
  // A raw variable is not expanded into others: the name stays.
  return expandText(value, (name) => (byName.get(name)?.raw ? undefined : done.get(name)), true).slice(
    0,
    MAX_VALUE,
  )
}
