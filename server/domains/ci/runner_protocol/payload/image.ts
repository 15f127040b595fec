import type { Json } from '../../../ci_config/index.ts'
import { hashOf, textOf, textsOf } from './values.ts'

/** The image of a job for the runner, which expands its name (spec ci 1.8). */
export interface Image {
  readonly name: string
  readonly entrypoint?: readonly string[]
  readonly ports: readonly unknown[]
  readonly pull_policy?: readonly string[]
  readonly executor_opts?: Readonly<Record<string, unknown>>
}

export interface Service extends Image {
  readonly alias: string | null
  readonly command?: readonly string[]
  readonly variables: readonly { readonly key: string; readonly value: string }[]
}

/** `image:` of a job, or null. */
export function imageOf(given: Json): Image | null {
  const name = textOf(given?.['name'])
  if (!given || name === null) return null
  const entrypoint = textsOf(given['entrypoint'])
  const pull_policy = textsOf(given['pull_policy'])
  const executor_opts = executorOptions(given)
  return {
    name,
    ...(entrypoint ? { entrypoint } : {}),
    ports: [],
    ...(pull_policy ? { pull_policy } : {}),
    ...(executor_opts ? { executor_opts } : {}),
  }
}

/** `services:` of a job. */
export function servicesOf(given: readonly Json[]): Service[] {
  return given.flatMap((one) => {
    const image = imageOf(one)
    if (!image) return []
    const command = textsOf(one!['command'])
    const variables = Object.entries(hashOf(one!['variables'])).map(([key, value]) => ({
      key,
      value: textOf(value) ?? textOf(hashOf(value)['value']) ?? '',
    }))
    return [{ ...image, alias: textOf(one!['alias']), ...(command ? { command } : {}), variables }]
  })
}

/** Unknown keys would fail the job, so only keys that runners know are sent. */
function executorOptions(given: NonNullable<Json>): Readonly<Record<string, unknown>> | null {
  const known = { docker: ['platform', 'user'], kubernetes: ['user'] }
  const options = Object.entries(known).flatMap(([executor, keys]) => {
    const own = keys.flatMap((key) => {
      const value = textOf(hashOf(given[executor])[key])
      return value === null ? [] : [[key, value] as const]
    })
    return own.length > 0 ? [[executor, Object.fromEntries(own)] as const] : []
  })
  return options.length > 0 ? Object.fromEntries(options) : null
}
