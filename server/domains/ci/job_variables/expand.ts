import { expandAll, expandText, type Variable } from '../../ci_config/index.ts'
import type { Item } from './item.ts'

/** A text with the values of variables that are expanded already; names without one become nothing, `$$` stays. */
export function expandWith(text: string, variables: readonly Pick<Variable, 'key' | 'value'>[]): string {
  const byKey = new Map(variables.map(({ key, value }) => [key, value]))
  return expandText(text, (name) => byKey.get(name))
}

/** One item for each name, the strongest (the last one), at the place where the name first comes. */
export function strongest(items: readonly Item[]): Item[] {
  return [...new Map(items.map((item) => [item.key, item])).values()]
}

/**
 * Items, one for each name, with their values put into each other. Files and raw ones stay as they are, and their names
 * stay in others: at the runner they mean a path, and a text that stands for itself. Unknown names stay as well.
 */
export function expandItems(items: readonly Item[]): Item[] {
  const { values } = expandAll(
    items.map(({ key, value, isRaw, isFile }) => ({ key, value, raw: isRaw === true || isFile === true })),
  )
  return items.map((item) => ({ ...item, value: values.get(item.key)! }))
}
