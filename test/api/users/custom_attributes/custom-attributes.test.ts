import { beforeAll, describe, expect, it } from 'vitest'

import { world, type TestUser, type World } from '../../../support/world.ts'

let w: World
let ada: TestUser
let paths: { users: string; groups: string; projects: string }
beforeAll(async () => {
  w = await world()
  ada = w.make.user({ username: 'ada' })
  const group = await w.make.group({ owner: ada, visibility: 'public' })
  const project = await w.make.project({ owner: ada, visibility: 'private' })
  paths = { users: `/users/${ada.id}`, groups: `/groups/${group.id}`, projects: `/projects/${project.id}` }
})

describe.each(['users', 'groups', 'projects'] as const)('custom attributes of %s', (kind) => {
  const at = (key?: string) => `${paths[kind]}/custom_attributes${key === undefined ? '' : `/${key}`}`

  it('are set, read, updated and deleted by administrators', async () => {
    const root = w.as(w.root)
    expect((await root.get(at())).body).toEqual([])
    const made = await root.put(at('site%2Fcity'), { value: 'Bern' })
    expect([made.status, made.body]).toEqual([200, { key: 'site/city', value: 'Bern' }])
    await root.put(at('area'), { value: '1' })
    expect((await root.put(at('area'), { value: '2' })).body).toEqual({ key: 'area', value: '2' })
    expect((await root.get(at('area'))).body).toEqual({ key: 'area', value: '2' })
    const list = await root.get(at())
    expect(list.body).toEqual([
      { key: 'area', value: '2' },
      { key: 'site/city', value: 'Bern' },
    ])
    expect(list.headers.has('x-total')).toBe(false)
    expect((await root.delete(at('area'))).status).toBe(204)
    expect((await root.delete(at('area'))).body).toEqual({ message: '404 Not found' })
  })

  it('return 400 for invalid values', async () => {
    const root = w.as(w.root)
    expect(await root.get(at('none'))).toMatchObject({ status: 404, body: { message: '404 Not found' } })
    expect(await root.put(at('x'), {})).toMatchObject({ status: 400, body: { error: 'value is missing' } })
    expect(await root.put(at('x'), { value: ' ' })).toMatchObject({
      status: 400,
      body: { message: { value: ["can't be blank"] } },
    })
    expect((await root.put(at('x'.repeat(256)), { value: '1' })).status).toBe(400)
    expect((await root.get(at('x'))).status).toBe(404)
  })

  it('return 403 to other users', async () => {
    for (const answer of [
      await w.as(ada).get(at()),
      await w.as(ada).get(at('a')),
      await w.as(ada).put(at('a'), { value: '1' }),
      await w.as(ada).delete(at('a')),
    ])
      expect([answer.status, answer.body]).toEqual([403, { message: '403 Forbidden' }])
  })
})

it('custom attributes return 404 for an unknown owner', async () => {
  expect((await w.as(w.root).get('/users/999999/custom_attributes')).body).toEqual({
    message: '404 User Not Found',
  })
  expect((await w.as(w.root).get('/users/ada/custom_attributes')).body).toEqual({ error: 'id is invalid' })
  expect((await w.as(w.root).get('/projects/999999/custom_attributes')).body).toEqual({
    message: '404 Project Not Found',
  })
  const stranger = w.make.user()
  expect((await w.as(stranger).get(`${paths.projects}/custom_attributes`)).status).toBe(404)
  expect((await w.as(null).get(`${paths.projects}/custom_attributes`)).status).toBe(404)
  expect((await w.as(null).get(`${paths.groups}/custom_attributes`)).status).toBe(401)
  expect((await w.as(null).get(`${paths.users}/custom_attributes`)).status).toBe(401)
})
