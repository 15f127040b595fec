import { describe, expect, it } from 'vitest'

import { endpointsOf } from '../../server/domain.ts'
import { domains } from '../../server/domains.ts'
import { sourcesOf } from '../support/imports.ts'

const declarations = sourcesOf('server/domains').flatMap(({ text }) => [
  ...text.matchAll(/\bevent\(\s*'([a-z_]+)(\.[a-z_]+)'/g),
])
const families = new Set(declarations.map(([, family]) => family!))
const names = new Set(declarations.map(([, family, rest]) => `${family}${rest}`))
const reloads = domains.flatMap((domain) => Object.entries(domain.reloads ?? {}))
const endpointPaths = (await endpointsOf(domains))
  .filter(({ method }) => method === 'GET')
  .map(({ path }) => path)

/** Whether a path of `reloads` is the path of an endpoint. */
const isEndpointPath = (declared: string) => {
  const path = declared.replace(/^\+/, '')
  return path.startsWith('/')
    ? endpointPaths.includes(path)
    : endpointPaths.some((endpoint) => `${endpoint}/`.includes(`/${path}/`))
}

describe('the declared reloads of the window', () => {
  it('belong to existing events, once each', () => {
    const declared = reloads.map(([name]) => name)
    expect(declared.filter((name) => !names.has(name) && !families.has(name))).toEqual([])
    expect(declared.toSorted()).toEqual([...new Set(declared)].toSorted())
  })

  it('are endpoints of the API or of the window', () => {
    expect(isEndpointPath('/projects/:id/milestone')).toBe(false)
    expect(isEndpointPath('milestone')).toBe(false)
    const paths = reloads.flatMap(([, declared]) => declared)
    expect(paths.filter((path) => path !== 'owner' && !isEndpointPath(path))).toEqual([])
  })

  it('exist for every event without a project and a group', async () => {
    const files = sourcesOf('server/domains').filter(({ path }) => path.endsWith('/events.ts'))
    const modules = await Promise.all(
      files.map(({ path }) => import(/* @vite-ignore */ `../../${path}`) as Promise<Record<string, unknown>>),
    )
    const exported = modules.flatMap((module) => Object.values(module))
    const events = exported.filter(
      (value): value is { name: string; schema: () => { shape: object } } =>
        typeof value === 'object' && value !== null && 'schema' in value && 'name' in value,
    )
    expect(events.length).toBeGreaterThan(150)
    const declared = new Set(reloads.map(([name]) => name))
    const unlisted = events.filter(
      ({ name, schema }) =>
        !declared.has(name) &&
        !declared.has(name.split('.')[0]!) &&
        !('project_id' in schema().shape || 'group_id' in schema().shape),
    )
    expect(unlisted.map(({ name }) => name)).toEqual([])
  })
})
