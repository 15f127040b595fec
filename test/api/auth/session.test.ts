import { beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { frozenClock } from '../../../server/lib/clock.ts'
import { browser, cookieOf, signIn } from '../../support/browser-session.ts'
import { world, type World } from '../../support/world.ts'

const clock = frozenClock('2026-03-01T12:00:00.000Z')
let w: World
beforeAll(async () => {
  w = await world({ clock })
})
beforeEach(() => {
  w.ctx().db.exec("UPDATE application_settings SET changes = '{}'")
})

describe('GET /-/session', () => {
  it('returns the instance to anonymous callers', async () => {
    const answer = await w.as(null).get('/-/session')
    expect([answer.status, answer.headers.get('cache-control'), answer.headers.get('etag')]).toEqual([
      200,
      'no-store',
      null,
    ])
    expect(answer.body).toEqual({
      user: null,
      admin_mode: 'none',
      csrf_token: null,
      file_ticket: null,
      duty: null,
      terms: null,
      first_run: false,
      instance: {
        name: 'Deskforge',
        version: '15.11.13-ee',
        url: w.url,
        sign_up_enabled: true,
        sign_in_text: null,
        after_sign_up_text: null,
        after_sign_out_path: null,
        password_sign_in: true,
        remember_me: true,
        minimum_password_length: 8,
        maintenance: null,
        clock: { mode: 'real', now: '2026-03-01T12:00:00.000Z' },
      },
    })
  })

  it('returns the user, and the token for writes', async () => {
    const window = await signIn(w)
    const { body } = await window.get('/-/session')
    expect([body.user.username, body.user.is_admin, body.csrf_token]).toEqual(['root', true, window.csrf])
  })

  it('returns the user of an API token without a CSRF token', async () => {
    const { body } = await w.as(w.root).get('/-/session')
    expect([body.user.username, body.csrf_token]).toEqual(['root', null])
  })
})

describe('GET /-/session with a token', () => {
  it('returns the user only for a token with a scope to read users', async () => {
    const withScope = (scope: string) => w.as({ ...w.root, token: w.make.token(w.root, [scope]) })
    expect((await withScope('read_user').get('/-/session')).body.user.username).toBe('root')
    const refused = await withScope('read_repository').get('/-/session')
    expect([refused.status, refused.body.error]).toEqual([403, 'insufficient_scope'])
  })
})

describe('POST /-/session', () => {
  it('signs in by user name or address, in any case', async () => {
    for (const login of ['root', 'ROOT', 'admin@example.com', 'Admin@Example.COM']) {
      const answer = await w.as(null).post('/-/session', { login, password: w.root.password })
      expect([answer.status, answer.body.user.username]).toEqual([201, 'root'])
    }
  })

  it('sets a cookie that scripts and other sites cannot read', async () => {
    const answer = await w.as(null).post('/-/session', { login: 'root', password: w.root.password })
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^_service_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=604800$/),
    ])
    expect(answer.text).not.toContain(cookieOf(answer).split('=')[1])
  })

  it('stores neither cookie nor password in plain text', async () => {
    const window = await signIn(w)
    const rows =
      JSON.stringify(w.ctx().db.many('SELECT * FROM sessions')) +
      JSON.stringify(w.ctx().db.many('SELECT * FROM users'))
    expect(rows).not.toContain(window.cookie.split('=')[1])
    expect(rows).not.toContain(w.root.password)
  })

  it('returns the same error for a wrong password, an unknown user and one without a password', async () => {
    const silent = w.make.user()
    for (const [login, password] of [
      ['root', 'wrong'],
      ['nobody', 'wrong'],
      [silent.username, ''],
      ['', ''],
      ['root', ''],
    ]) {
      const answer = await w.as(null).post('/-/session', { login, password })
      expect([answer.status, answer.body, answer.headers.getSetCookie()]).toEqual([
        401,
        { message: 'Invalid login or password.' },
        [],
      ])
    }
  })

  it('refuses invalid requests', async () => {
    expect((await w.as(null).post('/-/session', {})).body).toEqual({
      error: 'login is missing, password is missing',
    })
    expect((await w.as(null).post('/-/session', { login: ['root'], password: { a: 1 } })).body).toEqual({
      error: 'login is invalid, password is invalid',
    })
    expect((await w.as(null).post('/-/session', { login: 'root', password: 'x'.repeat(2000) })).status).toBe(
      400,
    )
  })

  it('refuses a blocked user with a specific message, but only with the right password', async () => {
    const { body } = await w.as(w.root).post('/users', {
      username: 'barred',
      name: 'B',
      email: 'barred@example.test',
      password: 'correct horse',
    })
    w.ctx().db.exec("UPDATE users SET state = 'blocked' WHERE id = ?", body.id)
    const right = await w.as(null).post('/-/session', { login: 'barred', password: 'correct horse' })
    expect([right.status, right.body.message]).toEqual([
      403,
      '403 Forbidden - Your account has been blocked.',
    ])
    expect((await w.as(null).post('/-/session', { login: 'barred', password: 'wrong horse' })).status).toBe(
      401,
    )
  })

  it('is closed if passwords are disabled', async () => {
    await w.as(w.root).put('/application/settings', { password_authentication_enabled_for_web: false })
    expect((await w.as(null).post('/-/session', { login: 'root', password: w.root.password })).status).toBe(
      403,
    )
    expect((await w.as(null).get('/-/session')).body.instance.password_sign_in).toBe(false)
  })

  it('counts the sign-in and records its time', async () => {
    const before = (await w.as(w.root).get('/users/1')).body.sign_in_count
    await signIn(w)
    expect((await w.as(w.root).get('/users/1')).body).toMatchObject({
      sign_in_count: before + 1,
      current_sign_in_ip: '127.0.0.1',
      current_sign_in_at: '2026-03-01T12:00:00.000Z',
    })
  })
})

describe('the cookie of a session', () => {
  it('opens the API for reading, and for writing with its token', async () => {
    const window = await signIn(w)
    expect((await window.get('/user')).status).toBe(200)
    expect((await window.put('/application/settings', { sign_in_text: 'a' })).status).toBe(200)
  })

  it('is refused for a write without its token, or with a wrong one', async () => {
    const window = await signIn(w)
    const other = await signIn(w)
    for (const csrf of ['', 'wrong', other.csrf, window.csrf.slice(1), `${window.csrf} `.repeat(2)]) {
      const answer = await browser(w, window.cookie, csrf).put('/application/settings', { sign_in_text: 'b' })
      expect([csrf, answer.status]).toEqual([csrf, 401])
    }
    const nobody = w.as(null)
    expect((await nobody.post('/projects', { name: 'x' }, { cookie: window.cookie })).status).toBe(401)
    expect(
      (await nobody.delete('/users/1', undefined, { cookie: window.cookie })).status,
    ).toBeGreaterThanOrEqual(400)
  })

  it('is accepted under its other name', async () => {
    const window = await signIn(w)
    const alias = window.cookie.replace('_service_session', '_gitlab_session')
    expect((await w.as(null).get('/user', { cookie: alias })).status).toBe(200)
  })

  it.each([
    '_service_session=',
    '_service_session=wrong',
    '_service_session="',
    'x=y',
    ';;;',
    '_service_session=%00',
  ])('is ignored if it is invalid: %s', async (cookie) => {
    expect((await w.as(null).get('/user', { cookie })).status).toBe(401)
    expect((await w.as(null).get('/-/session', { cookie })).status).toBe(200)
  })

  it('ends after the unused time of the settings, and not before', async () => {
    await w.as(w.root).put('/application/settings', { session_expire_delay: 60 })
    const window = await signIn(w)
    clock.advance(59 * 60_000)
    expect((await window.get('/user')).status).toBe(200)
    w.ctx().bookkeeping.flush()
    clock.advance(59 * 60_000)
    expect((await window.get('/user')).status).toBe(200)
    w.ctx().bookkeeping.flush()
    clock.advance(61 * 60_000)
    expect((await window.get('/user')).status).toBe(401)
  })

  it('ends after its user is blocked', async () => {
    const window = await signIn(w)
    w.ctx().db.exec("UPDATE users SET state = 'blocked' WHERE id = 1")
    expect((await window.get('/user')).status).toBe(401)
    w.ctx().db.exec("UPDATE users SET state = 'active' WHERE id = 1")
  })

  it('ends with a new password, except in the window that set it', async () => {
    const [here, there] = [await signIn(w), await signIn(w)]
    expect((await here.put('/users/1', { password: w.root.password })).status).toBe(200)
    expect((await here.get('/user')).status).toBe(200)
    expect((await there.get('/user')).status).toBe(401)
  })
})

describe('DELETE /-/session', () => {
  it('ends the session, on the server too', async () => {
    const window = await signIn(w)
    const answer = await window.delete('/-/session')
    expect([answer.status, answer.headers.getSetCookie().length]).toEqual([204, 2])
    for (const cookie of answer.headers.getSetCookie()) expect(cookie).toContain('Max-Age=0')
    expect((await window.get('/user')).status).toBe(401)
  })

  it('returns 401 without the CSRF token, and keeps the session', async () => {
    const window = await signIn(w)
    expect((await w.as(null).delete('/-/session', undefined, { cookie: window.cookie })).status).toBe(401)
    expect((await window.get('/user')).status).toBe(200)
  })

  it('succeeds without a session', async () => {
    expect((await w.as(null).delete('/-/session')).status).toBe(204)
    expect(
      (await w.as(null).delete('/-/session', undefined, { cookie: '_service_session=old' })).status,
    ).toBe(204)
  })
})
