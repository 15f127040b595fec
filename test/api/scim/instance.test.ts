import { expect, it } from 'vitest'

import { world } from '../../support/world.ts'
import { ERROR, person, provider, send, type Provider } from './support.ts'

const { as, make, root, url } = await world()
const w = { as, url } as never
let idp: Provider

const active = (value: unknown) => ({ Operations: [{ op: 'replace', path: 'active', value }] })
const stateOf = async (username: string) => (await as(root).get(`/users?username=${username}`)).body[0].state

it('SCIM is set up by an administrator', async () => {
  const before = await send(`${url}/api/scim/v2/application/Users`, 'GET', undefined, 'x')
  expect(before.body).toEqual({ schemas: [ERROR], detail: expect.any(String), status: 404 })
  expect((await as(make.user()).post('/-/scim/connection')).status).toBe(403)
  idp = await provider(w, root)
  expect((await idp.ask('GET', '/Users', undefined, 'x')).status).toBe(401)
  expect((await idp.ask('GET', '/Users')).body).toMatchObject({ totalResults: 0 })
})

it('SCIM blocks and unblocks users; the identity stays', async () => {
  const made = await idp.ask('POST', '/Users', person('inst'))
  expect(made.body).toMatchObject({ userName: 'inst', active: true })
  expect((await idp.ask('PATCH', '/Users/uid-inst', active('False'))).status).toBe(204)
  expect(await stateOf('inst')).toBe('blocked')
  const filter = encodeURIComponent('active eq false')
  expect((await idp.ask('GET', `/Users?filter=${filter}`)).body.totalResults).toBe(1)
  expect((await idp.ask('PATCH', '/Users/uid-inst', active(true))).status).toBe(204)
  expect(await stateOf('inst')).toBe('active')
  expect((await idp.ask('DELETE', '/Users/uid-inst')).status).toBe(204)
  expect(await stateOf('inst')).toBe('blocked')
  expect((await idp.ask('GET', '/Users/uid-inst')).body.active).toBe(false)
  expect((await idp.ask('POST', '/Users', person('inst'))).body.active).toBe(true)
  expect(await stateOf('inst')).toBe('active')
})

it('SCIM keeps the only administrator, and their address', async () => {
  const { email } = (await as(root).get('/user')).body
  await idp.ask('POST', '/Users', person('chief', { emails: [{ value: email }] }))
  const refused = await idp.ask('PATCH', '/Users/uid-chief', active(false))
  expect([refused.status, refused.body.status]).toEqual([412, 412])
  const mail = { Operations: [{ op: 'replace', path: 'emails', value: [{ value: 'x@corp.example' }] }] }
  expect((await idp.ask('PATCH', '/Users/uid-chief', mail)).status).toBe(204)
  expect((await as(root).get('/user')).body.email).toBe(email)
})
