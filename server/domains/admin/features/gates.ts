/** The gates of a feature: all users, named actors, or a percentage. */
export interface Gates {
  readonly boolean: boolean
  readonly groups: readonly string[]
  /** `User:1`, `Group:2`, `Project:3`, … */
  readonly actors: readonly string[]
  readonly percentage_of_actors: number
  readonly percentage_of_time: number
}

export const CLOSED: Gates = {
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

const ALL = 100

/** `on` for all, `off` for all, or `conditional`. */
export function stateOf(gates: Gates): 'on' | 'off' | 'conditional' {
  if (gates.boolean || gates.percentage_of_time === ALL || gates.percentage_of_actors === ALL) return 'on'
  return gateViews(gates).length > 1 ? 'conditional' : 'off'
}

/** The gates with a value; the boolean gate is always shown. */
export function gateViews(gates: Gates): GateView[] {
  const lists = (['groups', 'actors'] as const).filter((key) => gates[key].length > 0)
  const parts = (['percentage_of_actors', 'percentage_of_time'] as const).filter((key) => gates[key] > 0)
  return ['boolean' as const, ...lists, ...parts].map((key) => ({ key, value: gates[key] }))
}

/** A change of a feature: enable or disable it for all, for named actors or for a percentage. */
export interface GateChange {
  readonly value: boolean | number
  readonly by: 'percentage_of_actors' | 'percentage_of_time'
  readonly group: string | undefined
  readonly actors: readonly string[]
}

/** The gates after a change. Enabling or disabling for all removes the named actors. */
export function changed(gates: Gates, { value, by, group, actors }: GateChange): Gates {
  if (typeof value === 'number') return { ...gates, [by]: value }
  if (group === undefined && actors.length === 0) return { ...CLOSED, boolean: value }
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
