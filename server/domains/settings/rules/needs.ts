import { catalogue, type Settings } from '../catalogue.ts'
import type { Setting } from '../catalogue/setting.ts'
import type { Problem } from './problem.ts'

const switches = Object.entries(catalogue as Readonly<Record<string, Setting>>)
  .map(([name, { about }]) => ({ name, needs: about.needs ?? [], sentWith: about.sentWith ?? [] }))
  .filter(({ needs, sentWith }) => needs.length + sentWith.length > 0)

/**
 * What has to be sent together with the switches that are sent as true, and was not (spec administration 1.1). Newer
 * clients send one period of housekeeping instead of three.
 */
export function missing(given: Readonly<Record<string, unknown>>): string[] {
  const isNewer = given['housekeeping_optimize_repository_period'] !== undefined
  return switches
    .filter(({ name }) => given[name] === true && !(name === 'housekeeping_enabled' && isNewer))
    .flatMap(({ needs, sentWith }) => [...needs, ...sentWith])
    .filter((name) => given[name] === undefined)
}

/** Settings without which a switch may not be on. `isSecretSet` says it of the sealed ones. */
export function blanks(
  settings: Settings,
  changed: (name: string) => boolean,
  isSecretSet: (name: string) => boolean,
): Problem[] {
  const values = settings as Readonly<Record<string, unknown>>
  return switches
    .filter(({ name, needs }) => values[name] === true && [name, ...needs].some(changed))
    .flatMap(({ needs }) => needs)
    .filter((name) => (name in values ? isBlank(values[name]) : !isSecretSet(name)))
    .map((name) => [name, "can't be blank"] as const)
}

function isBlank(value: unknown): boolean {
  return value === null || (typeof value === 'string' && value.trim() === '')
}
