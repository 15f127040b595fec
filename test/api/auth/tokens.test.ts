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
  it('creates a token in the window, shown once and stored as a hash', async () => {
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

  it('is refused with a token: a token may not create another one', async () => {
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

  it('starts with the prefix of the settings', async () => {
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
  it('creates a token of a user', async () => {
    const { status, body } = await w.as(w.root).post(path(), { name: 'bot', scopes: ['read_api'] })
    expect([status, body.user_id]).toEqual([201, user.id])
    expect((await w.as({ ...user, token: body.token }).post('/projects', { name: 'x' })).status).toBe(403)
    expect((await w.as({ ...user, token: body.token }).get('/projects')).status).toBe(200)
  })

  it('gives no administrator rights to other users', async () => {
    const { status, body } = await w
      .as(w.root)
      .post(path(), { name: 'x', scopes: ['api', 'sudo', 'admin_mode'] })
    expect([status, body.scopes]).toEqual([201, ['api', 'sudo', 'admin_mode']])
    const theirs = w.as({ ...user, token: body.token })
    expect((await theirs.get('/user?sudo=root')).body.message).toBe(
      '403 Forbidden - Must be admin to use sudo',
    )
    expect((await theirs.get('/application/settings')).status).toBe(403)
  })

  it('is limited to administrators and existing users', async () => {
    expect((await w.as(user).post(path(), { name: 'x', scopes: ['api'] })).status).toBe(403)
    expect((await w.as(null).post(path(), { name: 'x', scopes: ['api'] })).status).toBe(401)
    expect(
      (await w.as(w.root).post('/users/99999/personal_access_tokens', { name: 'x', scopes: ['api'] })).body,
    ).toEqual({ message: '404 User Not Found' })
  })
})

describe('GET /personal_access_tokens', () => {
  it("lists the caller's own, or all for administrators", async () => {
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

describe('a single token', () => {
  it('is visible to its owner and to administrators', async () => {
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

  it('returns itself with any scope, but not for a session', async () => {
    const narrow = { ...user, token: w.make.token(user, ['read_repository']) }
    expect((await w.as(narrow).get('/personal_access_tokens/self')).body.scopes).toEqual(['read_repository'])
    const window = await signIn(w)
    expect((await window.get('/personal_access_tokens/self')).status).toBe(400)
    expect((await window.delete('/personal_access_tokens/self')).status).toBe(400)
  })

  it('shows its last use', async () => {
    const user = w.make.user()
    await w.as(user).get('/user')
    w.ctx().bookkeeping.flush()
    expect((await w.as(user).get('/personal_access_tokens/self')).body.last_used_at).toBe(
      new Date(clock.now()).toISOString(),
    )
  })

  it('is revoked by its owner, by itself and by administrators, also repeatedly', async () => {
    const user = w.make.user()
    const { id } = (await w.as(user).get('/personal_access_tokens/self')).body
    for (let time = 0; time < 2; time++)
      expect((await w.as(w.root).delete(`/personal_access_tokens/${id}`)).status).toBe(204)
    expect((await w.as(user).get('/user')).status).toBe(401)
    expect((await w.as(w.root).get(`/personal_access_tokens/${id}`)).body).toMatchObject({
      revoked: true,
      active: false,
    })
  })
})

describe('rotating a token', () => {
  const own = (scopes = ['api']) => ({ ...user, token: w.make.token(user, scopes) })
  const idOf = async (who: TestUser) =>
    (await w.as(who).get('/personal_access_tokens/self')).body.id as number

  it('revokes it and returns a new one for a week', async () => {
    const who = own(['api', 'read_user'])
    const old = (await w.as(who).get('/personal_access_tokens/self')).body
    const answer = await w.as(who).post('/personal_access_tokens/self/rotate')
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(answer.body).toMatchObject({
      name: old.name,
      scopes: ['api', 'read_user'],
      user_id: user.id,
      active: true,
      last_used_at: null,
      expires_at: new Date(clock.now() + 7 * 86_400_000).toISOString().slice(0, 10),
      token: expect.stringMatching(/^\S{20,}$/),
    })
    expect((await w.as({ ...user, token: answer.body.token }).get('/user')).status).toBe(200)
    expect((await w.as(w.root).get(`/personal_access_tokens/${old.id}`)).body.revoked).toBe(true)
  })

  it('revokes the whole chain if an old one is used again', async () => {
    const first = own()
    const second = (await w.as(first).post('/personal_access_tokens/self/rotate')).body
    const third = (
      await w.as(user).post(`/personal_access_tokens/${second.id}/rotate`, { expires_at: '2026-12-31' })
    ).body
    expect(third.expires_at).toBe('2026-12-31')
    expect((await w.as({ ...user, token: third.token }).get('/user')).status).toBe(200)
    const leaked = await w.as(first).get('/user')
    expect([leaked.status, leaked.body.error_description]).toEqual([
      401,
      'Token was revoked. You have to re-authorize from the user.',
    ])
    expect((await w.as({ ...user, token: third.token }).get('/user')).status).toBe(401)
    expect((await w.as(user).get('/user')).status).toBe(200)
  })

  it('is refused for inactive tokens, and for other users', async () => {
    const who = own()
    const id = await idOf(who)
    const rotate = (by: TestUser, more = {}) => w.as(by).post(`/personal_access_tokens/${id}/rotate`, more)
    expect((await rotate(stranger)).status).toBe(401)
    expect((await rotate(who, { expires_at: '2020-01-01' })).body).toEqual({
      message: { expires_at: ["can't be in the past"] },
    })
    expect((await rotate(who, { expires_at: 'soon' })).body).toEqual({ error: 'expires_at is invalid' })
    await w.as(w.root).delete(`/personal_access_tokens/${id}`)
    expect((await rotate(user)).body).toEqual({ message: '400 Bad request - Token already revoked' })
    expect((await w.as(w.root).post('/personal_access_tokens/99999/rotate')).status).toBe(404)
    const narrow = own(['read_api'])
    expect((await w.as(narrow).post('/personal_access_tokens/self/rotate')).status).toBe(403)
    const window = await signIn(w)
    expect((await window.post('/personal_access_tokens/self/rotate')).status).toBe(405)
  })
})

describe('impersonation tokens', () => {
  const path = () => `/users/${user.id}/impersonation_tokens`

  it('are created, listed and revoked by administrators, and act as the user', async () => {
    const made = await w.as(w.root).post(path(), { name: 'act', scopes: ['api'], expires_at: '2026-12-31' })
    expect([made.status, made.body]).toEqual([
      201,
      expect.objectContaining({
        name: 'act',
        impersonation: true,
        user_id: user.id,
        token: expect.any(String),
      }),
    ])
    const { token, ...shown } = made.body
    expect((await w.as({ ...user, token }).get('/user')).body.id).toBe(user.id)
    const ids = async (query: string) =>
      (await w.as(w.root).get(`${path()}?${query}`)).body.map((token: { id: number }) => token.id)
    expect(await ids('')).toEqual([shown.id])
    expect(await ids('state=active')).toEqual([shown.id])
    expect(await ids('state=inactive')).toEqual([])
    expect((await w.as(w.root).get(`${path()}?state=odd`)).body).toEqual({
      error: 'state does not have a valid value',
    })
    w.ctx().bookkeeping.flush()
    expect((await w.as(w.root).get(`${path()}/${shown.id}`)).body).toMatchObject({
      id: shown.id,
      impersonation: true,
    })
    expect((await w.as(w.root).get(`/personal_access_tokens/${shown.id}`)).status).toBe(404)
    expect((await w.as(user).get(`/personal_access_tokens?search=act`)).body).toEqual([])
    expect((await w.as(w.root).delete(`${path()}/${shown.id}`)).status).toBe(204)
    expect((await w.as({ ...user, token }).get('/user')).status).toBe(401)
    expect(await ids('state=inactive')).toEqual([shown.id])
  })

  it("are refused with the contract's errors", async () => {
    expect((await w.as(user).get(path())).status).toBe(403)
    expect((await w.as(null).get(path())).status).toBe(401)
    expect((await w.as(w.root).get(`${path()}/99999`)).body).toEqual({
      message: '404 Impersonation Token Not Found',
    })
    expect((await w.as(w.root).get('/users/99999/impersonation_tokens')).body).toEqual({
      message: '404 User Not Found',
    })
    const own = (await w.as(user).get('/personal_access_tokens/self')).body.id
    expect((await w.as(w.root).delete(`${path()}/${own}`)).status).toBe(404)
    expect((await w.as(w.root).post(path(), { name: 'x', scopes: [] })).body).toEqual({
      message: { scopes: ["can't be blank"] },
    })
  })
})

describe('an instance without impersonation', () => {
  it('refuses such tokens, and creates none', async () => {
    const strict = await world({ impersonation: false })
    const user = strict.make.user()
    const path = `/users/${user.id}/impersonation_tokens`
    expect((await strict.as(strict.root).post(path, { name: 'x', scopes: ['api'] })).status).toBe(403)
    strict.ctx().db.exec('UPDATE personal_access_tokens SET impersonation = 1 WHERE user_id = ?', user.id)
    const answer = await strict.as(user).get('/user')
    expect([answer.status, answer.body]).toEqual([
      401,
      {
        error: 'invalid_token',
        error_description: 'Token is an impersonation token but impersonation was disabled.',
      },
    ])
  })
})
