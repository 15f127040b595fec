/** A variable of a pipeline. */
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

/**
 * Replaces `$name`, `${name}` and `%name%` in a text. Unknown names become empty or are kept, `$$` stays (spec ci
 * 2.14).
 */
export function expandText(
  text: string,
  lookup: (name: string) => string | null | undefined,
  keepUnknown = false,
): string {
  if (!/[$%]/.test(text)) return text
  return text.replace(NAME, (match, plain?: string, braced?: string, percent?: string) => {
    const name = plain ?? braced ?? percent
    if (name === undefined) return match
    return lookup(name) ?? (keepUnknown ? match : '')
  })
}

/** The result of expanding variables into each other. */
export interface Expanded {
  readonly values: ReadonlyMap<string, string>
  /** Names that refer to each other in a circle, or null. */
  readonly cycle: readonly string[] | null
}

/**
 * Longer values are cut, and beyond the total values are not expanded, because variables that double each other would
 * fill the memory.
 */
const MAX_VALUE = 128 * 1024
const MAX_TOTAL = 8 * 1024 * 1024

/**
 * Expands variables into each other; of two with the same name the later counts. A variable that refers to itself
 * (`$PATH:/more`) keeps that name for the shell. In a circle of several variables the values stay unchanged.
 */
export function expandAll(variables: readonly Variable[]): Expanded {
  const byName = new Map(variables.map((variable) => [variable.key, variable]))
  const { order, cycle } = sorted(byName)
  const done = new Map<string, string>()
  let total = 0
  for (const key of order) {
    const { value, raw } = byName.get(key)!
    // A raw variable is not expanded into others: the name stays.
    const other = (name: string) => (name === key || byName.get(name)?.raw ? undefined : done.get(name))
    const isLeft = raw || total > MAX_TOTAL
    done.set(key, isLeft ? value : expandText(value, other, true).slice(0, MAX_VALUE))
    total += done.get(key)!.length
  }
  return { values: new Map([...byName].map(([key, { value }]) => [key, done.get(key) ?? value])), cycle }
}

/**
 * Sorts names so that each comes after the names it refers to. Works depth first, without recursion, and ends at the
 * first circle.
 */
function sorted(byName: ReadonlyMap<string, Variable>): { order: string[]; cycle: string[] | null } {
  const order: string[] = []
  const done = new Set<string>()
  const wants = (key: string) => {
    const { value, raw } = byName.get(key)!
    const names = raw ? [] : namesIn(value).filter((name) => name !== key && byName.has(name))
    return { key, names, at: 0 }
  }
  for (const start of byName.keys()) {
    if (done.has(start)) continue
    const stack = [wants(start)]
    const open = new Set([start])
    while (stack.length > 0) {
      const top = stack.at(-1)!
      const next = top.names[top.at++]
      if (next === undefined) {
        order.push(top.key)
        done.add(top.key)
        open.delete(top.key)
        stack.pop()
      } else if (open.has(next)) {
        return { order, cycle: [...open].slice([...open].indexOf(next)) }
      } else if (!done.has(next)) {
        open.add(next)
        stack.push(wants(next))
      }
    }
  }
  return { order, cycle: null }
}
