import { describe, expect, it } from 'vitest'

import { world } from '../../support/world.ts'

const here = await world()
const maintainer = here.make.user()
const developer = here.make.user()
const group = await here.make.group()
const project = await here.make.project({ namespace_id: group.id })
await here.make.member('projects', project.id, maintainer, 40)
await here.make.member('projects', project.id, developer, 30)
const as = here.as(maintainer)
const nobody = here.as(null)
const flags = `/projects/${project.id}/feature_flags`
const client = `/-${flags}/client`
const at = `/feature_flags/unleash/${project.id}`

const make = (name: string, params: object) =>
  as.post(flags, { name, version: 'new_version_flag', ...params })
const on = (...scopes: string[]) => scopes.map((environment_scope) => ({ environment_scope }))
await make('everywhere', {
  description: 'For all',
  strategies: [
    { name: 'default', parameters: {}, scopes: on('*', 'production') },
    { name: 'userWithId', parameters: { userIds: '1' }, scopes: on('staging') },
  ],
})
await make('off', {
  active: false,
  strategies: [{ name: 'default', parameters: {}, scopes: on('prod*', 'review') }],
})
const everywhere = { name: 'everywhere', description: 'For all', enabled: true }
const everybody = { name: 'default', parameters: {} }

describe('the instance id of a project', () => {
  it('is created once, and shown to and replaced by maintainers', async () => {
    const api_url = `${here.url}/api/v4${at}`
    expect((await as.get(client)).body).toEqual({ api_url, instance_id: null, created_at: null })
    const made = await as.post(client)
    expect([made.status, made.body]).toEqual([
      200,
      { api_url, instance_id: expect.stringMatching(/^[\w-]{20}$/), created_at: expect.any(String) },
    ])
    expect((await as.post(client)).body).toEqual(made.body)
    expect((await as.get(client)).body).toEqual(made.body)
    const { db } = here.ctx()
    const stored = JSON.stringify(db.one('SELECT * FROM feature_flag_clients'))
    expect(stored).not.toContain(made.body.instance_id)
    const other = await as.post(client, { anew: true })
    expect(other.body.instance_id).not.toBe(made.body.instance_id)
    const answer = (instance_id: string) => nobody.get(`${at}/features?instance_id=${instance_id}`)
    expect((await answer(made.body.instance_id)).status).toBe(401)
    expect((await answer(other.body.instance_id)).status).toBe(200)
    expect((await here.as(developer).get(client)).body).toEqual({ message: '403 Forbidden' })
    expect((await here.as(developer).post(client)).status).toBe(403)
    expect((await nobody.get(client)).status).toBe(404)
  })
})

describe('requests of SDKs', () => {
  const keys = async (environment?: string) => ({
    'UNLEASH-INSTANCEID': (await as.post(client)).body.instance_id as string,
    ...(environment === undefined ? {} : { 'UNLEASH-APPNAME': environment }),
  })

  it('return the flags of their environment', async () => {
    const of = async (environment?: string) =>
      (await nobody.get(`${at}/features`, await keys(environment))).body
    const off = { name: 'off', enabled: false, strategies: [everybody] }
    expect(await of('production')).toEqual({
      version: 1,
      features: [{ ...everywhere, strategies: [everybody] }, off],
    })
    const forOne = { name: 'userWithId', parameters: { userIds: '1' } }
    expect((await of('staging')).features).toEqual([{ ...everywhere, strategies: [everybody, forOne] }])
    expect((await of('review')).features).toContainEqual(off)
    expect((await of('Production')).features).toEqual([{ ...everywhere, strategies: [everybody] }])
    expect(await of()).toEqual({ version: 1, features: [] })
    const { instance_id } = (await as.post(client)).body
    const query = `instance_id=${instance_id}&app_name=production`
    for (const path of [
      `${at}/client/features`,
      `/feature_flags/unleash/${encodeURIComponent(project.path_with_namespace)}/features`,
    ])
      expect((await nobody.get(`${path}?${query}`)).body).toEqual(await of('production'))
  })

  it('get 304 while nothing changes', async () => {
    const headers = await keys('production')
    const first = await nobody.get(`${at}/client/features`, headers)
    const again = { ...headers, 'If-None-Match': first.headers.get('etag')! }
    expect((await nobody.get(`${at}/client/features`, again)).status).toBe(304)
    await as.put(`${flags}/off`, { description: 'Changed' })
    const changed = await nobody.get(`${at}/client/features`, again)
    expect([changed.status, changed.body.features[1].description]).toEqual([200, 'Changed'])
    const elsewhere = { ...(await keys('staging')), 'If-None-Match': changed.headers.get('etag')! }
    expect((await nobody.get(`${at}/client/features`, elsewhere)).status).toBe(200)
  })

  it('that register or send metrics succeed with any body', async () => {
    const headers = await keys()
    for (const [path, body] of [
      ['client/register', '{"appName":"production"}'],
      ['client/metrics', 'no json {'],
    ] as const) {
      const answer = await nobody.post(`${at}/${path}`, body, {
        ...headers,
        'content-type': 'application/json',
      })
      expect([answer.status, answer.text]).toEqual([200, ''])
    }
    const bare = await nobody.get(at, headers)
    expect([bare.status, bare.text]).toEqual([200, ''])
    // SDKs can be configured to send credentials for a proxy.
    expect((await nobody.get(`${at}/features`, { ...headers, authorization: 'Basic eDp5' })).status).toBe(200)
  })

  it('get the same error for every wrong project and token', async () => {
    const { 'UNLEASH-INSTANCEID': good } = await keys()
    const other = await here.make.project({ visibility: 'public' })
    const refused = [401, { message: '401 Unauthorized' }]
    for (const [id, token] of [
      [project.id, ''],
      [project.id, 'wrong'],
      [other.id, good],
      [999_999, good],
      ['x', good],
    ])
      for (const [method, path] of [
        ['get', ''],
        ['get', '/features'],
        ['get', '/client/features'],
        ['post', '/client/register'],
        ['post', '/client/metrics'],
      ] as const) {
        const address = `/feature_flags/unleash/${id}${path}?instance_id=${token}`
        const { status, body } = await here.as(maintainer)[method](address)
        expect([status, body]).toEqual(refused)
      }
  })
})
