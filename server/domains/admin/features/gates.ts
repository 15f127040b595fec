/** The gates of a feature: all users, named actors, or a percentage. */
export interface Gates {
  readonly boolean: boolean
  readonly groups: readonly string[]
  /** `User:1`, `Group:2`, `Project:3`, … */
  readonly actors: readonly string[]
  readonly percentage_of_actors: number
  readonly percentage_of_time: number
}

export const CLOSED_GATES: Gates = {
  boolean: false,
  groups: [],
  actors: [],
  percentage_of_actors: 0,
  percentage_of_time: 0,
}

/** A gate as the contract shows it. */
export interface GateView {
  readonly key: string
  readonly value: boolean | number | readonly string[]
}

const ALL_PERCENT = 100

/** Returns whether a feature is on for all, off for all, or conditional. */
export function stateOf(gates: Gates): 'on' | 'off' | 'conditional' {
  if (gates.boolean || gates.percentage_of_time === ALL_PERCENT || gates.percentage_of_actors === ALL_PERCENT)
    return 'on'
  return gateViews(gates).length > 1 ? 'conditional' : 'off'
}

/** Returns the boolean gate, and the other gates with a value. */
export function gateViews(gates: Gates): GateView[] {
  const lists = (['groups', 'actors'] as const).filter((key) => gates[key].length > 0)
  const percentages = (['percentage_of_actors', 'percentage_of_time'] as const).filter(
    (key) => gates[key] > 0,
  )
  return ['boolean' as const, ...lists, ...percentages].map((key) => ({ key, value: gates[key] }))
}

/** A change of a feature: enable or disable it for all, for named actors or for a percentage. */
export interface GateChange {
  readonly value: boolean | number
  readonly by: 'percentage_of_actors' | 'percentage_of_time'
  readonly group: string | undefined
  readonly actors: readonly string[]
}

/** Returns the gates after a change. Enabling or disabling for all removes the named actors. */
export function changedGates(gates: Gates, { value, by, group, actors }: GateChange): Gates {
  if (typeof value === 'number') return { ...gates, [by]: value }
  if (group === undefined && actors.length === 0) return { ...CLOSED_GATES, boolean: value }
  const merge = (list: readonly string[], names: readonly string[]) => {
    const others = list.filter((name) => !names.includes(name))
    return value ? [...others, ...names] : others
  }
  return {
    ...gates,
    groups: merge(gates.groups, group === undefined ? [] : [group]),
    actors: merge(gates.actors, actors),
  }
}
