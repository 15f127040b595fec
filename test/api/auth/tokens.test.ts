import { beforeAll, describe, expect, it } from 'vitest'

import { frozenClock } from '../../../server/lib/clock.ts'
import { signIn } from '../../support/browser-session.ts'
import { world, type TestUser, type World } from '../../support/world.ts'

const clock = frozenClock('2026-03-01T12:00:00.000Z')
let w: World
let user: TestUser
let stranger: TestUser
beforeAll(async () => {
  w = await world({ clock })
  user = w.make.user()
  stranger = w.make.user()
})

describe('POST /-/profile/personal_access_tokens', () => {
  it('makes a token in the window, shown once and stored as a hash', async () => {
    const window = await signIn(w)
    const { status, body } = await window.post('/-/profile/personal_access_tokens', {
      name: 'cli',
      scopes: ['api', 'api'],
      expires_at: '2026-12-31',
    })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      name: 'cli',
      scopes: ['api'],
      user_id: 1,
      revoked: false,
      active: true,
      last_used_at: null,
      expires_at: '2026-12-31',
      token: expect.stringMatching(/^glpat-[\w-]{20}$/),
    })
    expect((await w.as({ ...w.root, token: body.token }).get('/user')).status).toBe(200)
    expect((await window.get(`/personal_access_tokens/${body.id}`)).body.token).toBeUndefined()
    expect(JSON.stringify(w.ctx().db.many('SELECT * FROM personal_access_tokens'))).not.toContain(body.token)
  })

  it('is not for tokens: one must not make another', async () => {
    expect(
      (await w.as(w.root).post('/-/profile/personal_access_tokens', { name: 'x', scopes: ['api'] })).status,
    ).toBe(403)
    expect(
      (await w.as(null).post('/-/profile/personal_access_tokens', { name: 'x', scopes: ['api'] })).status,
    ).toBe(401)
  })

  it.each([
    [{ scopes: ['api'] }, { error: 'name is missing' }],
    [{ name: 'x' }, { error: 'scopes is missing' }],
    [{ name: 'x', scopes: ['root'] }, { error: 'scopes does not have a valid value' }],
    [{ name: 'x', scopes: ['api'], expires_at: 'soon' }, { error: 'expires_at is invalid' }],
    [{ name: ' ', scopes: [] }, { message: { name: ["can't be blank"], scopes: ["can't be blank"] } }],
    [
      { name: 'x', scopes: ['api'], expires_at: '2026-02-28' },
      { message: { expires_at: ["can't be in the past"] } },
    ],
  ])('refuses %j', async (body, expected) => {
    const answer = await (await signIn(w)).post('/-/profile/personal_access_tokens', body)
    expect([answer.status, answer.body]).toEqual([400, expected])
  })

  it('begins with what the settings say', async () => {
    const window = await signIn(w)
    await window.put('/application/settings', { personal_access_token_prefix: 'my-' })
    const { body } = await window.post('/-/profile/personal_access_tokens', {
      name: 'x',
      scopes: 'api,read_user',
    })
    expect([body.token.slice(0, 3), body.scopes]).toEqual(['my-', ['api', 'read_user']])
  })
})

describe('POST /users/:user_id/personal_access_tokens', () => {
  const path = () => `/users/${user.id}/personal_access_tokens`
  it('makes a token of a user', async () => {
    const { status, body } = await w.as(w.root).post(path(), { name: 'bot', scopes: ['read_api'] })
    expect([status, body.user_id]).toEqual([201, user.id])
    expect((await w.as({ ...user, token: body.token }).post('/projects', { name: 'x' })).status).toBe(403)
    expect((await w.as({ ...user, token: body.token }).get('/projects')).status).toBe(200)
  })

  it('gives no powers of administrators to others', async () => {
    const answer = await w.as(w.root).post(path(), { name: 'x', scopes: ['sudo'] })
    expect([answer.status, answer.body.message]).toEqual([
      400,
      { scopes: ['can only contain available scopes'] },
    ])
  })

  it('is for administrators, and for users that exist', async () => {
    expect((await w.as(user).post(path(), { name: 'x', scopes: ['api'] })).status).toBe(403)
    expect((await w.as(null).post(path(), { name: 'x', scopes: ['api'] })).status).toBe(401)
    expect(
      (await w.as(w.root).post('/users/99999/personal_access_tokens', { name: 'x', scopes: ['api'] })).body,
    ).toEqual({ message: '404 User Not Found' })
  })
})

describe('GET /personal_access_tokens', () => {
  it('lists your own, or all for administrators', async () => {
    const own = (await w.as(user).get('/personal_access_tokens?per_page=100')).body
    expect(new Set(own.map((row: { user_id: number }) => row.user_id))).toEqual(new Set([user.id]))
    const all = (await w.as(w.root).get('/personal_access_tokens?per_page=100')).body
    expect(new Set(all.map((row: { user_id: number }) => row.user_id)).size).toBeGreaterThan(2)
    expect((await w.as(user).get(`/personal_access_tokens?user_id=${stranger.id}`)).status).toBe(401)
    expect((await w.as(user).get(`/personal_access_tokens?user_id=${user.id}`)).status).toBe(200)
    expect((await w.as(null).get('/personal_access_tokens')).status).toBe(401)
  })

  it('finds by state, name and time', async () => {
    const other = w.make.user()
    const make = (name: string, expires_at?: string) =>
      w.as(w.root).post(`/users/${other.id}/personal_access_tokens`, {
        name,
        scopes: ['api'],
        ...(expires_at ? { expires_at } : {}),
      })
    await make('100%_done', '2026-03-02')
    const gone = (await make('gone')).body
    await w.as(w.root).delete(`/personal_access_tokens/${gone.id}`)
    clock.advance(24 * 3_600_000)
    const names = async (query: string): Promise<string[]> =>
      (await w.as(w.root).get(`/personal_access_tokens?user_id=${other.id}&${query}`)).body.map(
        (row: { name: string }) => row.name,
      )
    expect(await names('state=active')).toEqual(['test'])
    expect(await names('state=inactive')).toEqual(['100%_done', 'gone'])
    expect(await names('revoked=true')).toEqual(['gone'])
    expect(await names('revoked=false')).toEqual(['test', '100%_done'])
    expect(await names('search=DONE')).toEqual(['100%_done'])
    expect(await names('search=%25_')).toEqual(['100%_done'])
    expect(await names('search=t_st')).toEqual([])
    expect(await names('created_after=2026-03-01T12:00:00Z')).toEqual([])
    expect(await names('created_before=2026-03-02')).toHaveLength(3)
    expect(await names('last_used_after=2026-01-01')).toEqual([])
  })
})

describe('one token', () => {
  it('is seen by its owner and by administrators', async () => {
    const self = (await w.as(user).get('/personal_access_tokens/self')).body
    expect(self).toMatchObject({ user_id: user.id, name: 'test', active: true })
    expect((await w.as(user).get(`/personal_access_tokens/${self.id}`)).body).toEqual(self)
    expect((await w.as(w.root).get(`/personal_access_tokens/${self.id}`)).status).toBe(200)
    expect((await w.as(stranger).get(`/personal_access_tokens/${self.id}`)).status).toBe(401)
    expect((await w.as(stranger).delete(`/personal_access_tokens/${self.id}`)).status).toBe(401)
    expect((await w.as(w.root).get('/personal_access_tokens/99999')).status).toBe(404)
    expect((await w.as(user).get('/personal_access_tokens/99999')).status).toBe(401)
    expect((await w.as(user).get('/personal_access_tokens/x')).body).toEqual({ error: 'id is invalid' })
  })

  it('is itself whatever its scope, but a session has none', async () => {
    const narrow = { ...user, token: w.make.token(user, ['read_repository']) }
    expect((await w.as(narrow).get('/personal_access_tokens/self')).body.scopes).toEqual(['read_repository'])
    const window = await signIn(w)
    expect((await window.get('/personal_access_tokens/self')).status).toBe(400)
    expect((await window.delete('/personal_access_tokens/self')).status).toBe(400)
  })

  it('tells when it was last used', async () => {
    const one = w.make.user()
    await w.as(one).get('/user')
    w.ctx().bookkeeping.flush()
    expect((await w.as(one).get('/personal_access_tokens/self')).body.last_used_at).toBe(
      new Date(clock.now()).toISOString(),
    )
  })

  it('is revoked by its owner, by itself and by administrators, and again without harm', async () => {
    const one = w.make.user()
    const { id } = (await w.as(one).get('/personal_access_tokens/self')).body
    for (let time = 0; time < 2; time++)
      expect((await w.as(w.root).delete(`/personal_access_tokens/${id}`)).status).toBe(204)
    expect((await w.as(one).get('/user')).status).toBe(401)
    expect((await w.as(w.root).get(`/personal_access_tokens/${id}`)).body).toMatchObject({
      revoked: true,
      active: false,
    })
  })
})
