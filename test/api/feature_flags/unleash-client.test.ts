import { once } from 'node:events'

import { afterAll, describe, expect, it } from 'vitest'
import { InMemStorageProvider, Unleash } from 'unleash-client'

import { world } from '../../support/world.ts'

// Runs the unmodified SDK against a real instance.
const here = await world()
const maintainer = here.make.user()
const project = await here.make.project()
await here.make.member('projects', project.id, maintainer, 40)
const as = here.as(maintainer)
const at = `/projects/${project.id}`
const window = `/-/projects/${project.id}/feature_flags`
const { body: settings } = await as.post(`${window}/client`)

const make = async (name: string, strategies: object[], more: object = {}) => {
  const made = await as.post(`${at}/feature_flags`, {
    name,
    version: 'new_version_flag',
    strategies: strategies.map((strategy) => ({
      parameters: {},
      scopes: [{ environment_scope: '*' }],
      ...strategy,
    })),
    ...more,
  })
  if (made.status !== 201) throw new Error(made.text)
  return made.body
}
const { body: list } = await as.post(`${at}/feature_flags_user_lists`, {
  name: 'Testers',
  user_xids: 'anna,ben@example.test',
})
const inScopes = (...scopes: string[]) => scopes.map((environment_scope) => ({ environment_scope }))
const rollout = (rollout: string, stickiness: string, groupId = 'default') => ({
  name: 'flexibleRollout',
  parameters: { groupId, rollout, stickiness },
})

await make('for-all', [{ name: 'default' }])
await make('switched-off', [{ name: 'default' }], { active: false })
await make('nowhere', [{ name: 'default', scopes: [] }])
await make('in-production', [{ name: 'default', scopes: inScopes('production') }])
await make('in-reviews', [{ name: 'default', scopes: inScopes('review/*') }])
await make('for-ids', [{ name: 'userWithId', parameters: { userIds: 'anna,42' } }])
await make('for-list', [{ name: 'serviceUserList', user_list_id: list.id }])
await make('gradual', [{ name: 'gradualRolloutUserId', parameters: { groupId: 'grp', percentage: '30' } }])
await make('by-user', [rollout('55', 'userId', 'usr')])
await make('by-session', [rollout('20', 'sessionId', 'ses')])
await make('by-default', [rollout('70', 'default')])
await make('by-chance', [rollout('50', 'random')])
await make('nobody-yet', [rollout('0', 'random')])
await make('everybody', [rollout('100', 'random')])
await make('both', [{ name: 'userWithId', parameters: { userIds: 'anna' } }, rollout('10', 'userId', 'both')])
await make('elsewhere-for-all', [
  { name: 'default', scopes: inScopes('staging') },
  { name: 'userWithId', parameters: { userIds: 'anna' }, scopes: inScopes('prod*', 'production') },
])
// Without a version, this is a legacy flag. Its most specific scope decides.
await as.post(`${at}/feature_flags`, {
  name: 'legacy',
  scopes: [
    { environment_scope: '*', active: false },
    { environment_scope: 'review/*', active: true },
  ],
})

const clients: Unleash[] = []
afterAll(() => clients.forEach((client) => client.destroy()))
const clientFor = (appName: string, more: object = {}) => {
  const client = new Unleash({
    url: settings.api_url,
    instanceId: settings.instance_id,
    appName,
    environment: 'ignored',
    refreshInterval: 60_000,
    disableMetrics: true,
    storageProvider: new InMemStorageProvider(),
    skipInstanceCountWarning: true,
    ...more,
  })
  // A poll that runs while the instance ends may fail; the tests check only the flags that a client gets.
  client.on('error', () => undefined)
  clients.push(client)
  return client
}
const clientIn = async (appName: string, more: object = {}) => {
  const client = clientFor(appName, more)
  await once(client, 'synchronized')
  return client
}
const production = await clientIn('production')
const review = await clientIn('review/feature-7')

const USERS = Array.from({ length: 4000 }, (_, index) => `user-${index}`)
const share = (name: string, contextOf: (id: string) => Record<string, string>) =>
  USERS.filter((id) => production.isEnabled(name, contextOf(id))).length / USERS.length

describe('unleash-client', () => {
  it('gets only the flags of its environment', () => {
    const seen = (client: Unleash) =>
      ['for-all', 'switched-off', 'nowhere', 'in-production', 'in-reviews', 'legacy'].filter((name) =>
        client.isEnabled(name, {}, false),
      )
    expect(seen(production)).toEqual(['for-all', 'in-production'])
    expect(seen(review)).toEqual(['for-all', 'in-reviews', 'legacy'])
    const names = production.getFeatureToggleDefinitions().map((toggle) => toggle.name)
    expect(names).toContain('switched-off')
    expect(names).not.toContain('in-reviews')
    expect(production.isEnabled('elsewhere-for-all', { userId: 'anna' })).toBe(true)
    expect(production.isEnabled('elsewhere-for-all', { userId: 'ben' })).toBe(false)
  })

  it('recognizes users by ID and by user list', () => {
    const users = ['anna', '42', 'ben@example.test', 'nobody', '4', 'ann']
    const on = (name: string) => users.filter((userId) => production.isEnabled(name, { userId }))
    expect(on('for-ids')).toEqual(['anna', '42'])
    expect(on('for-list')).toEqual(['anna', 'ben@example.test'])
    expect(production.isEnabled('for-list')).toBe(false)
  })

  it('enables a flag for the requested share of users, always the same ones', () => {
    const byUser = (userId: string) => ({ userId })
    const bySession = (sessionId: string) => ({ sessionId })
    // The share of 4,000 random users differs by three percent only once in 10,000 runs, and the hash does not change.
    for (const [name, expected, contextOf] of [
      ['gradual', 0.3, byUser],
      ['by-user', 0.55, byUser],
      ['by-session', 0.2, bySession],
      ['by-default', 0.7, byUser],
      ['by-default', 0.7, bySession],
      ['nobody-yet', 0, byUser],
      ['everybody', 1, byUser],
    ] as const) {
      expect(Math.abs(share(name, contextOf) - expected)).toBeLessThan(0.03)
      expect(share(name, contextOf)).toBe(share(name, contextOf))
    }
    expect(production.isEnabled('gradual')).toBe(false)
    expect(Math.abs(share('by-chance', byUser) - 0.5)).toBeLessThan(0.05)
    const without = (name: string) => USERS.filter((userId) => !production.isEnabled(name, { userId }))
    expect(without('gradual')).toEqual(without('gradual'))
  })

  it('gets a change with its next poll', async () => {
    const client = await clientIn('production', { refreshInterval: 40 })
    expect(client.isEnabled('for-all')).toBe(true)
    const changed = once(client, 'changed')
    const unchanged = once(client, 'unchanged')
    await unchanged
    await as.put(`${at}/feature_flags/for-all`, { active: false })
    await changed
    expect(client.isEnabled('for-all')).toBe(false)
    const listChanged = once(client, 'changed')
    await as.put(`${at}/feature_flags_user_lists/${list.iid}`, { user_xids: 'carla' })
    await listChanged
    expect(client.isEnabled('for-list', { userId: 'carla' })).toBe(true)
    expect(client.isEnabled('for-list', { userId: 'anna' })).toBe(false)
    client.destroy()
  })

  it('registers, and sends its metrics', async () => {
    const client = clientFor('production', { disableMetrics: false, metricsInterval: 60_000 })
    const warned: unknown[] = []
    client.on('warn', (warning) => warned.push(warning))
    await Promise.all([once(client, 'registered'), once(client, 'synchronized')])
    client.isEnabled('gradual', { userId: '1' })
    const sent = once(client, 'sent')
    await client.flushMetrics()
    await sent
    expect(warned).toEqual([])
  })

  it('gets an error when its instance id is wrong', async () => {
    const client = clientFor('production', { instanceId: 'another-one' })
    const [error] = await once(client, 'error')
    expect(String(error)).toMatch(/401|access|unauthori[sz]ed/i)
    expect(client.isEnabled('everybody')).toBe(false)
  })
})

describe('"Evaluate as" of the window', () => {
  const evaluated = async (environment: string, asker: Record<string, string>) => {
    const query = new URLSearchParams({ environment, ...asker })
    const { body } = await as.get(`${window}/evaluation?${query}`)
    return body as { name: string; verdict: string; chance: number | null }[]
  }

  it('has the same results as the SDK for many users, sessions and environments', async () => {
    // Both read the current flags.
    const fresh = { production: await clientIn('production'), 'review/x': await clientIn('review/x') }
    const askers = [
      {},
      { userId: 'anna' },
      { userId: 'anna', sessionId: 's-1' },
      ...Array.from({ length: 40 }, (_, index) => ({ userId: `u-${index * 7}` })),
      ...Array.from({ length: 40 }, (_, index) => ({ sessionId: `s-${index}` })),
    ] as { userId?: string; sessionId?: string }[]
    let compared = 0
    for (const [environment, client] of Object.entries(fresh))
      for (const { userId, sessionId } of askers) {
        const context = { ...(userId ? { userId } : {}), ...(sessionId ? { sessionId } : {}) }
        const asker = {
          ...(userId ? { user_id: userId } : {}),
          ...(sessionId ? { session_id: sessionId } : {}),
        }
        const flags = await evaluated(environment, asker)
        for (const { name, verdict } of flags.filter((flag) => flag.verdict !== 'chance')) {
          expect([name, context, client.isEnabled(name, context)]).toEqual([name, context, verdict === 'on'])
          compared++
        }
      }
    expect(compared).toBeGreaterThan(2000)
  })

  it('returns the deciding strategy and the bucket of the user', async () => {
    const flags = await evaluated('production', { user_id: 'anna' })
    const flag = (name: string) => flags.find((flag) => flag.name === name)
    expect(flags.map((flag) => flag.name)).toEqual(flags.map((flag) => flag.name).toSorted())
    expect(flag('switched-off')).toMatchObject({ verdict: 'off', reason: 'inactive', decided_by: null })
    expect(flag('in-reviews')).toMatchObject({ verdict: 'off', reason: 'not_in_environment', strategies: [] })
    expect(flag('both')).toMatchObject({
      verdict: 'on',
      reason: 'strategies',
      decided_by: 0,
      strategies: [
        { name: 'userWithId', verdict: 'on', position: null },
        { name: 'flexibleRollout', position: expect.any(Number) },
      ],
    })
    expect(flag('by-chance')).toMatchObject({ verdict: 'chance', chance: 50, decided_by: null })
    expect(flag('nobody-yet')).toMatchObject({ verdict: 'off' })
    const missing = await as.get(`${window}/evaluation`)
    expect([missing.status, missing.body]).toEqual([400, { error: 'environment is missing' }])
  })
})
