import { beforeAll, describe, expect, it } from 'vitest'

import { signIn, type Browser } from '../../support/browser-session.ts'
import { world, type Client, type TestUser, type World } from '../../support/world.ts'

const GOOD = { name: 'App', redirect_uri: 'https://client.example/cb', scopes: 'api read_user' }
let w: World
let user: TestUser
let window: Browser
beforeAll(async () => {
  w = await world()
  user = w.make.user()
  window = await signIn(w)
})

describe('/applications', () => {
  it('are registered, listed, updated and deleted by administrators', async () => {
    const made = await w.as(w.root).post('/applications', GOOD)
    const shown = {
      id: expect.any(Number),
      application_id: expect.stringMatching(/^[0-9a-f]{64}$/),
      application_name: 'App',
      callback_url: 'https://client.example/cb',
      confidential: true,
    }
    expect([made.status, made.body]).toEqual([
      201,
      { ...shown, secret: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ])
    expect(JSON.stringify(w.ctx().db.many('SELECT * FROM oauth_applications'))).not.toContain(
      made.body.secret,
    )
    const list = await w.as(w.root).get('/applications')
    expect([list.body, list.headers.get('x-total')]).toEqual([[shown], '1'])
    const renewed = await w.as(w.root).post(`/applications/${made.body.id}/renew-secret`)
    expect([renewed.status, renewed.body.secret === made.body.secret]).toEqual([200, false])
    expect((await w.as(w.root).delete(`/applications/${made.body.id}`)).status).toBe(204)
    const again = await w.as(w.root).delete(`/applications/${made.body.id}`)
    expect([again.status, again.body]).toEqual([404, { message: '404 Application Not Found' }])
  })

  it('are limited to administrators', async () => {
    expect((await w.as(user).get('/applications')).status).toBe(403)
    expect((await w.as(user).post('/applications', GOOD)).status).toBe(403)
    expect((await w.as(null).get('/applications')).status).toBe(401)
  })

  it.each([
    [{ name: undefined }, { error: 'name is missing' }],
    [{ redirect_uri: undefined, scopes: undefined }, { error: 'redirect_uri is missing, scopes is missing' }],
    [{ scopes: '' }, { error: 'scopes is empty' }],
    [{ confidential: 'maybe' }, { error: 'confidential is invalid' }],
    [{ name: ' ' }, { message: { name: ["can't be blank"] } }],
    [{ scopes: 'api nonsense' }, { message: { scopes: ["doesn't match configured on the server."] } }],
    [{ redirect_uri: '' }, { message: { redirect_uri: ["can't be blank"] } }],
    [{ redirect_uri: 'client.example/cb' }, { message: { redirect_uri: ['must be an absolute URI.'] } }],
    [{ redirect_uri: 'https://a.example/#x' }, { message: { redirect_uri: ['cannot contain a fragment.'] } }],
    [
      { redirect_uri: 'https://ok.example\njavascript://alert' },
      { message: { redirect_uri: ['is forbidden by the server.'] } },
    ],
    [{ redirect_uri: 'https:/client' }, { message: { redirect_uri: ['must be an absolute URI.'] } }],
    [{ redirect_uri: 'https://exämple.test/' }, { message: { redirect_uri: ['must be an absolute URI.'] } }],
    [{ redirect_uri: 'data:/x' }, { message: { redirect_uri: ['is forbidden by the server.'] } }],
    [{ redirect_uri: 'https://a@b.example/' }, { message: { redirect_uri: ['must be an absolute URI.'] } }],
  ])('are refused with %j', async (wrong, expected) => {
    const answer = await w.as(w.root).post('/applications', { ...GOOD, ...wrong })
    expect([answer.status, answer.body]).toEqual([400, expected])
  })
})

describe('applications of a user', () => {
  /** Creates, lists, updates and deletes an application of any type of owner. */
  async function manage(at: string, owner: Client, stranger: Client, refused: number): Promise<void> {
    const made = await owner.post(at, { ...GOOD, trusted: true })
    expect([made.status, made.body.trusted]).toEqual([201, at.includes('admin')])
    const path = `${at}/${made.body.id}`
    const { secret, ...shown } = made.body
    expect(secret).toMatch(/^[0-9a-f]{64}$/)
    expect((await owner.get(at)).body).toContainEqual(shown)
    expect((await owner.get(path)).body).toEqual(shown)
    const changed = await owner.put(path, { name: 'New', redirect_uri: 'a:/b  c:/d', confidential: false })
    expect(changed.body).toMatchObject({
      application_name: 'New',
      callback_url: 'a:/b\nc:/d',
      confidential: false,
      scopes: ['api', 'read_user'],
    })
    expect((await owner.put(path, { scopes: 'nonsense' })).status).toBe(400)
    expect((await owner.put(path, {})).status).toBe(400)
    expect((await owner.post(`${path}/renew_secret`)).body.secret).not.toBe(secret)
    for (const answer of [
      await stranger.get(path),
      await stranger.put(path, { name: 'Mine' }),
      await stranger.post(`${path}/renew_secret`),
      await stranger.delete(path),
    ])
      expect(answer.status).toBe(refused)
    expect((await owner.delete(path)).status).toBe(204)
    expect((await owner.get(path)).status).toBe(404)
  }

  it('are private to the user', () => manage('/-/profile/applications', w.as(user), w.as(w.make.user()), 404))

  it('are managed by the owners of a group', async () => {
    const group = await w.make.group({ owner: user, visibility: 'public' })
    const maintainer = w.make.user()
    await w.make.member('groups', group.id, maintainer, 40)
    await manage(`/-/groups/${group.id}/applications`, w.as(user), w.as(maintainer), 403)
    const hidden = await w.make.group()
    expect((await w.as(user).get(`/-/groups/${hidden.id}/applications`)).status).toBe(404)
  })

  it('of the instance are managed in the window too', () =>
    manage('/-/admin/applications', window, w.as(user), 403))

  it('cannot be created if the settings forbid it, except by administrators', async () => {
    await w.as(w.root).put('/application/settings', { user_oauth_applications: false })
    expect((await w.as(user).post('/-/profile/applications', GOOD)).status).toBe(403)
    expect((await w.as(w.root).post('/-/profile/applications', GOOD)).status).toBe(201)
  })
})
