/** An option and what was given with it; more than one may be given with some. */
interface Options {
  [name: string]: true | string | number | Options
}

/** Other names of groups of options. */
const GROUPS: Readonly<Record<string, string>> = { mr: 'merge_request' }

/** Options that may be given more than once: each value with the number of times. */
const REPEATED = /^(ci\.variable|merge_request\.(un)?(label|assign))$/

/**
 * What was given with `git push -o` as events show it: `ci.skip` is `{"ci": {"skip": true}}`, and `mr.title=A` is
 * `{"merge_request": {"title": "A"}}`. Options that belong to no group are nobody's business.
 */
export function pushOptions(given: readonly string[]): Options {
  const groups = new Map<string, Map<string, Options[string]>>()
  for (const option of given) {
    const [, prefix, name, value] = /^([a-z_]+)\.([a-z_]+)(?:=(.*))?$/s.exec(option) ?? []
    if (prefix === undefined || name === undefined) continue
    const group = GROUPS[prefix] ?? prefix
    const options = groups.get(group) ?? new Map<string, Options[string]>()
    const isRepeated = value !== undefined && REPEATED.test(`${group}.${name}`)
    options.set(name, isRepeated ? counted(options.get(name), value) : (value ?? true))
    groups.set(group, options)
  }
  return Object.fromEntries([...groups].map(([group, options]) => [group, Object.fromEntries(options)]))
}

function counted(before: Options[string] | undefined, value: string): Options {
  const counts = new Map(Object.entries(typeof before === 'object' ? before : {}))
  counts.set(value, Number(counts.get(value) ?? 0) + 1)
  return Object.fromEntries(counts)
}
