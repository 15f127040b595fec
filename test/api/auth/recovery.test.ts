import { beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { frozenClock } from '../../../server/lib/clock.ts'
import { signIn } from '../../support/browser-session.ts'
import { world, type Answer, type TestUser, type World } from '../../support/world.ts'

const clock = frozenClock('2026-03-01T12:00:00.000Z')
const NEW = 'a new and better one'
let w: World
beforeAll(async () => {
  w = await world({ clock })
})
beforeEach(() => {
  w.ctx().db.exec(`UPDATE application_settings SET changes = '{"throttle_protected_paths_enabled":false}'`)
})

const enter = (login: string, password: string): Promise<Answer> =>
  w.as(null).post('/-/session', { login, password })
const set = (changes: Record<string, unknown>) => w.as(w.root).put('/application/settings', changes)
const change = (user: TestUser, column: string, value: unknown) =>
  w.ctx().db.exec(`UPDATE users SET ${column} = ? WHERE id = ?`, value, user.id)

/** A user with the password of root. */
function person(): TestUser {
  const user = w.make.user()
  w.ctx().db.exec(
    'UPDATE users SET password_hash = (SELECT password_hash FROM users WHERE id = 1) WHERE id = ?',
    user.id,
  )
  return { ...user, password: w.root.password }
}

describe('wrong passwords', () => {
  it('lock an account for ten minutes, without showing it', async () => {
    const user = person()
    for (let count = 0; count < 10; count++) expect((await enter(user.username, 'wrong')).status).toBe(401)
    const right = await enter(user.username, user.password)
    expect([right.status, right.body]).toEqual([401, { message: 'Invalid login or password.' }])
    const git = await w.as(null).get(`!/${user.username}/none.git/info/refs?service=git-upload-pack`, {
      authorization: `Basic ${Buffer.from(`${user.username}:${user.password}`).toString('base64')}`,
    })
    expect(git.status).toBe(401)
    expect((await w.as(user).get('/user')).status).toBe(200)
    clock.advance(599_999)
    expect((await enter(user.username, user.password)).status).toBe(401)
    clock.advance(1)
    expect((await enter(user.username, user.password)).status).toBe(201)
  })

  it('are forgotten after the right one', async () => {
    const user = person()
    for (let round = 0; round < 2; round++) {
      for (let count = 0; count < 9; count++) await enter(user.username, 'wrong')
      expect((await enter(user.username, user.password)).status).toBe(201)
    }
  })

  it('count from one after the lock', async () => {
    const user = person()
    for (let count = 0; count < 10; count++) await enter(user.username, 'wrong')
    clock.advance(600_000)
    expect((await enter(user.username, 'wrong')).status).toBe(401)
    expect((await enter(user.username, user.password)).status).toBe(201)
  })
})

describe('the throttle of sign-ins', () => {
  it('blocks an address that guesses, with a plain text answer', async () => {
    w.ctx().db.exec("UPDATE application_settings SET changes = '{}'")
    clock.advance(60_000)
    const user = person()
    for (let count = 0; count < 10; count++) expect((await enter(`nobody${count}`, 'wrong')).status).toBe(401)
    const answer = await enter(user.username, user.password)
    expect([answer.status, answer.text, answer.headers.get('content-type')]).toEqual([
      429,
      'Retry later\n',
      'text/plain; charset=utf-8',
    ])
    const reset = Math.floor(clock.now() / 60_000 + 1) * 60
    expect(
      ['Name', 'Limit', 'Observed', 'Remaining', 'Reset', 'ResetTime'].map((name) =>
        answer.headers.get(`RateLimit-${name}`),
      ),
    ).toEqual([
      'throttle_protected_paths',
      '10',
      '11',
      '0',
      String(reset),
      new Date(reset * 1000).toUTCString(),
    ])
    expect(answer.headers.get('retry-after')).toBe(String(reset - clock.now() / 1000))
    const token = await w
      .as(null)
      .post('!/oauth/token', new URLSearchParams({ grant_type: 'password', username: 'root', password: 'x' }))
    expect(token.status).toBe(429)
    expect((await w.as(user).get('/user')).status).toBe(200)
    clock.advance(60_000)
    expect((await enter(user.username, user.password)).status).toBe(201)
  })

  it('does not count successful attempts, and follows the settings', async () => {
    await set({
      throttle_protected_paths_enabled: true,
      throttle_protected_paths_requests_per_period: 2,
      throttle_protected_paths_period_in_seconds: 30,
      rate_limiting_response_text: 'Slowly, please',
    })
    clock.advance(60_000)
    for (let count = 0; count < 4; count++) await signIn(w)
    await enter('nobody', 'x')
    await enter('nobody', 'x')
    const answer = await enter('root', w.root.password)
    expect([answer.status, answer.text, answer.headers.get('ratelimit-limit')]).toEqual([
      429,
      'Slowly, please\n',
      '4',
    ])
    clock.advance(60_000)
  })

  it('also limits concurrent guesses', async () => {
    await set({
      throttle_protected_paths_enabled: true,
      throttle_protected_paths_period_in_seconds: 30,
      throttle_protected_paths_requests_per_period: 3,
    })
    const answers = await Promise.all(Array.from({ length: 12 }, () => enter('nobody', 'wrong')))
    expect(answers.filter((answer) => answer.status === 401)).toHaveLength(3)
    expect(answers.filter((answer) => answer.status === 429)).toHaveLength(9)
    clock.advance(60_000)
  })
})

describe('a password reset link', () => {
  const link = async (user: TestUser) =>
    (await w.as(w.root).post(`/-/admin/users/${user.id}/password_reset`)).body
  const use = (token: string, password = NEW) => w.as(null).post('/-/password_reset', { token, password })

  it('is created by an administrator and used once', async () => {
    const user = person()
    for (let count = 0; count < 10; count++) await enter(user.username, 'wrong')
    expect((await enter(user.username, user.password)).status).toBe(401)
    const theirs = await link(user)
    expect(theirs).toEqual({
      token: expect.stringMatching(/^[\w-]{32}$/),
      url: `${w.url}/-/password_reset?token=${theirs.token}`,
      expires_at: new Date(clock.now() + 48 * 3_600_000).toISOString(),
    })
    expect(JSON.stringify(w.ctx().db.many('SELECT * FROM users'))).not.toContain(theirs.token)
    const weak = await use(theirs.token, 'short')
    expect([weak.status, weak.body]).toEqual([
      400,
      { message: { password: ['is too short (minimum is 8 characters)'] } },
    ])
    expect((await use(theirs.token)).status).toBe(204)
    expect((await enter(user.username, NEW)).status).toBe(201)
    expect((await enter(user.username, user.password)).status).toBe(401)
    const again = await use(theirs.token)
    expect([again.status, again.body]).toEqual([400, { message: { reset_password_token: ['is invalid'] } }])
  })

  it('ends every session, and expires after two days', async () => {
    const user = person()
    const window = await signIn(w, user.username, user.password)
    const first = await link(user)
    expect((await use(first.token)).status).toBe(204)
    expect((await window.get('/user')).status).toBe(401)
    const old = await link(user)
    const newer = await link(user)
    expect((await use(old.token)).status).toBe(400)
    clock.advance(48 * 3_600_000)
    expect((await use(newer.token)).body).toEqual({
      message: { reset_password_token: ['has expired, please request a new one'] },
    })
  })

  it('is created by administrators only', async () => {
    const user = person()
    expect((await w.as(user).post(`/-/admin/users/${user.id}/password_reset`)).status).toBe(403)
    expect((await w.as(w.root).post('/-/admin/users/99999/password_reset')).body).toEqual({
      message: '404 User Not Found',
    })
  })
})

describe('a password of the caller', () => {
  it('is changed with the current one, and ends the other sessions', async () => {
    const user = person()
    const [here, there] = [
      await signIn(w, user.username, user.password),
      await signIn(w, user.username, user.password),
    ]
    const put = (current_password: string, password: string) =>
      here.put('/-/profile/password', { current_password, password })
    expect((await put('wrong', NEW)).body).toEqual({ message: { current_password: ['is invalid'] } })
    expect((await put(user.password, 'short')).status).toBe(400)
    expect((await put(user.password, NEW)).status).toBe(200)
    expect((await here.get('/user')).status).toBe(200)
    expect((await there.get('/user')).status).toBe(401)
    expect(
      (await w.as(user).put('/-/profile/password', { current_password: NEW, password: NEW })).status,
    ).toBe(403)
    expect(
      (await w.as(null).put('/-/profile/password', { current_password: NEW, password: NEW })).status,
    ).toBe(401)
  })

  it('must be changed first after it expired', async () => {
    const user = person()
    const message =
      '403 Forbidden - Your password expired. Please access GitLab from a web browser to update your password.'
    change(user, 'password_expires_at', w.ctx().now)
    expect((await w.as(user).get('/user')).body).toEqual({ message })
    const window = await signIn(w, user.username, user.password)
    expect((await window.get('/-/session')).body).toMatchObject({ duty: 'change_password' })
    expect((await window.get('/user')).body).toEqual({ message })
    expect((await window.get('/projects')).status).toBe(403)
    expect(
      (await w.as(null).get('!/oauth/authorize?client_id=x', { cookie: window.cookie })).headers.get(
        'location',
      ),
    ).toMatch(/^\/-\/oauth\/authorization/)
    const put = (password: string) =>
      window.put('/-/profile/password', { current_password: user.password, password })
    expect((await put(user.password)).body).toEqual({
      message: { password: ['must not be the same as the one that expired'] },
    })
    const answer = await put(NEW)
    expect([answer.status, answer.body.duty]).toEqual([200, null])
    expect((await window.get('/user')).status).toBe(200)
    expect((await w.as(user).get('/user')).status).toBe(200)
  })

  it('does not expire for bots', async () => {
    const user = person()
    change(user, 'bot', 1)
    change(user, 'password_expires_at', w.ctx().now)
    expect((await w.as(user).get('/user')).status).toBe(200)
  })
})

describe('terms of service', () => {
  it('must be accepted in the window first', async () => {
    const user = person()
    expect((await set({ enforce_terms: true })).body).toEqual({ error: 'terms is missing' })
    const window = await signIn(w, user.username, user.password)
    const admin = await signIn(w)
    expect((await set({ enforce_terms: true, terms: 'Be kind.' })).status).toBe(200)
    await w.drain()
    const message = `403 Forbidden - You (@${user.username}) must accept the Terms of Service in order to perform this action. To accept these terms, please access GitLab from a web browser at ${w.url}.`
    expect((await w.as(user).get('/user')).body).toEqual({ message })
    expect((await window.get('/user')).body).toEqual({ message })
    expect((await window.get('/-/session')).body).toMatchObject({ duty: 'accept_terms', terms: 'Be kind.' })
    expect((await window.post('/-/terms/acceptance')).body).toMatchObject({ duty: null })
    expect((await w.as(user).get('/user')).status).toBe(200)
    expect((await window.get('/user')).status).toBe(200)
    expect((await admin.put('/application/settings', { terms: 'x' })).status).toBe(403)
    await admin.post('/-/terms/acceptance')
    expect((await admin.put('/application/settings', { terms: 'Be kinder.' })).status).toBe(200)
    await w.drain()
    expect((await w.as(user).get('/user')).status).toBe(403)
  })
})

describe('an email address', () => {
  it('is confirmed if the settings require it', async () => {
    await set({ send_user_confirmation_email: true, require_admin_approval_after_user_signup: false })
    const person = { name: 'N', username: 'unconfirmed', email: 'unconfirmed@example.test', password: NEW }
    const signedUp = await w.as(null).post('/-/registration', person)
    expect([signedUp.status, signedUp.body.user, signedUp.body.message]).toEqual([
      201,
      null,
      expect.stringMatching(/confirmed/),
    ])
    const { id } = (await w.as(w.root).get('/users?username=unconfirmed')).body[0]
    const refused = await enter(person.username, NEW)
    expect([refused.status, refused.body.message]).toEqual([
      403,
      '403 Forbidden - You have to confirm your email address before continuing.',
    ])
    const made = await w.as(w.root).post(`/-/admin/users/${id}/confirmation`)
    expect([made.status, made.body.url]).toEqual([201, `${w.url}/-/confirmation?token=${made.body.token}`])
    expect((await w.as(null).post('/-/confirmation', { token: 'wrong' })).body).toEqual({
      message: { confirmation_token: ['is invalid'] },
    })
    expect((await w.as(null).post('/-/confirmation', { token: made.body.token })).status).toBe(204)
    expect((await enter(person.username, NEW)).status).toBe(201)
    expect((await w.as(w.root).post(`/-/admin/users/${id}/confirmation`)).status).toBe(409)
  })

  it('replaces the current one after confirmation, unless it is taken', async () => {
    const user = person()
    const confirm = async (email: string) => {
      change(user, 'unconfirmed_email', email)
      const { body } = await w.as(w.root).post(`/-/admin/users/${user.id}/confirmation`)
      return w.as(null).post('/-/confirmation', { token: body.token })
    }
    expect((await confirm('admin@example.com')).body).toEqual({
      message: { email: ['has already been taken'] },
    })
    expect((await confirm('newer@example.test')).status).toBe(204)
    expect((await w.as(user).get('/user')).body.email).toBe('newer@example.test')
  })
})

describe('a deactivated account', () => {
  it('is activated by a sign-in', async () => {
    const user = person()
    change(user, 'state', 'deactivated')
    expect((await enter(user.username, 'wrong')).status).toBe(401)
    expect((await w.as(user).get('/user')).status).toBe(403)
    expect((await enter(user.username, user.password)).status).toBe(201)
    expect((await w.as(user).get('/user')).body.state).toBe('active')
  })
})

describe('/-/profile/sessions', () => {
  it('lists the sessions, and ends single ones', async () => {
    const user = person()
    const here = await signIn(w, user.username, user.password)
    const there = await signIn(w, user.username, user.password)
    const { body } = await here.get('/-/profile/sessions')
    expect(body.map((session: { current: boolean }) => session.current)).toEqual([false, true])
    expect(body[0]).toEqual({
      id: expect.any(Number),
      ip: '127.0.0.1',
      user_agent: 'node',
      created_at: expect.any(String),
      last_seen_at: expect.any(String),
      expires_at: expect.any(String),
      current: false,
    })
    const other = await signIn(w)
    expect((await other.delete(`/-/profile/sessions/${body[0].id}`)).status).toBe(404)
    expect((await here.delete(`/-/profile/sessions/${body[0].id}`)).status).toBe(204)
    expect((await there.get('/user')).status).toBe(401)
    expect((await here.get('/user')).status).toBe(200)
  })
})
