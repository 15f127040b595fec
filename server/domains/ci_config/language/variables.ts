/** A variable of a pipeline. */
export interface Variable {
  readonly key: string
  readonly value: string
  /** Whether the value is used literally: it is not expanded, and other values keep its name. */
  readonly raw?: boolean
}

const NAME = /\$\$|%%|\$(\w+)|\$\{(\w+)\}|%(\w+)%/g

/** The names of the variables that a value refers to. */
export function namesIn(text: string): string[] {
  if (!/[$%]/.test(text)) return []
  return [...text.matchAll(NAME)].flatMap(([, plain, braced, percent]) => plain ?? braced ?? percent ?? [])
}

/**
 * Replaces `$name`, `${name}` and `%name%` in a text, but not `$$` and `%%` (spec ci 2.14). Unknown variables are
 * removed, or stay unchanged with `keepUnknown`.
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
  /** The names of variables that refer to each other in a cycle. Null if there is no cycle. */
  readonly cycle: readonly string[] | null
}

/**
 * The limits in characters, because variables that double each other would fill the memory. A longer value is cut off;
 * beyond the total, values are not expanded.
 */
const MAX_VALUE = 128 * 1024
const MAX_TOTAL = 8 * 1024 * 1024

/**
 * Expands the variables that values refer to. Of two variables with the same name the last one is used. A variable that
 * refers to itself (`$PATH:/more`) keeps that name, so that the shell expands it. Values in a cycle stay unchanged.
 */
export function expandAll(variables: readonly Variable[]): Expanded {
  const byName = new Map(variables.map((variable) => [variable.key, variable]))
  const { order, cycle } = dependencyOrder(byName)
  const expanded = new Map<string, string>()
  let total = 0
  for (const key of order) {
    const { value, raw } = byName.get(key)!
    const lookup = (name: string) => (name === key || byName.get(name)?.raw ? undefined : expanded.get(name))
    const isLiteral = raw || total > MAX_TOTAL
    expanded.set(key, isLiteral ? value : expandText(value, lookup, true).slice(0, MAX_VALUE))
    total += expanded.get(key)!.length
  }
  return { values: new Map([...byName].map(([key, { value }]) => [key, expanded.get(key) ?? value])), cycle }
}

/**
 * Sorts names so that each comes after the names that it refers to. The search is depth first, without recursion, and
 * ends at the first cycle.
 */
function dependencyOrder(byName: ReadonlyMap<string, Variable>): { order: string[]; cycle: string[] | null } {
  const order: string[] = []
  const done = new Set<string>()
  const stackEntry = (key: string) => {
    const { value, raw } = byName.get(key)!
    const names = raw ? [] : namesIn(value).filter((name) => name !== key && byName.has(name))
    return { key, names, nextIndex: 0 }
  }
  for (const start of byName.keys()) {
    if (done.has(start)) continue
    const stack = [stackEntry(start)]
    const open = new Set([start])
    while (stack.length > 0) {
      const top = stack.at(-1)!
      const next = top.names[top.nextIndex++]
      if (next === undefined) {
        order.push(top.key)
        done.add(top.key)
        open.delete(top.key)
        stack.pop()
      } else if (open.has(next)) {
        return { order, cycle: [...open].slice([...open].indexOf(next)) }
      } else if (!done.has(next)) {
        open.add(next)
        stack.push(stackEntry(next))
      }
    }
  }
  return { order, cycle: null }
}
