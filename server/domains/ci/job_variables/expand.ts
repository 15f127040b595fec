import { expandText, type Variable } from '../config/variables.ts'

/** A text with the values of variables that are expanded already; names without one become nothing, `$$` stays. */
export function expandWith(text: string, variables: readonly Pick<Variable, 'key' | 'value'>[]): string {
  const byKey = new Map(variables.map(({ key, value }) => [key, value]))
  return expandText(text, (name) => byKey.get(name))
}
