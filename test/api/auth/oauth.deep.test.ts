import { createHash } from 'node:crypto'

import { createRemoteJWKSet, jwtVerify } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'

import { crons } from '../../../server/domains/auth/jobs.ts'
import { frozenClock } from '../../../server/lib/clock.ts'
import { signIn, type Browser } from '../../support/browser-session.ts'
import { world, type Answer, type TestUser, type World } from '../../support/world.ts'

const clock = frozenClock('2026-03-01T12:00:00.000Z')
const REDIRECT = 'https://client.example/cb?x=1'
const GRANT_PROBLEM = {
  error: 'invalid_grant',
  error_description: expect.stringContaining('authorization grant'),
}

interface App {
  id: number
  application_id: string
  secret: string
}

let w: World
let window: Browser
/** A confidential client, a public client, and a trusted client, which needs no consent. */
let secretive: App
let open: App
let trusted: App

const json = (params: Record<string, string | undefined>) =>
  new URLSearchParams(JSON.parse(JSON.stringify(params)))
const query = (params: Record<string, string | undefined>) => json(params).toString()
const token = (params: Record<string, string | undefined>, headers: Record<string, string> = {}) =>
  w.as(null).post('!/oauth/token', json(params), headers)
const bearer = (text: string) => ({ authorization: `Bearer ${text}` })
const me = (text: string) => w.as(null).get('/user', bearer(text))
const basic = (app: App) => ({
  authorization: `Basic ${Buffer.from(`${app.application_id}:${app.secret}`).toString('base64')}`,
})

async function register(more: Record<string, unknown> = {}): Promise<App> {
  const params = { name: 'App', redirect_uri: REDIRECT, scopes: 'api read_user openid email', ...more }
  const answer = await window.post('/-/admin/applications', params)
  expect(answer.status).toBe(201)
  return answer.body
}

beforeAll(async () => {
  w = await world({ clock })
  w.ctx().db.exec(`UPDATE application_settings SET changes = '{"throttle_protected_paths_enabled":false}'`)
  window = await signIn(w)
  secretive = await register()
  open = await register({ confidential: false, redirect_uri: `${REDIRECT}\nhttp://127.0.0.1/cb\nmyapp:/cb` })
  trusted = await register({ trusted: true })
})

/** Returns the parameters of an authorization request. */
const authorization = (app: App, more: Record<string, string | undefined> = {}) => ({
  client_id: app.application_id,
  redirect_uri: REDIRECT,
  response_type: 'code',
  scope: 'read_user',
  state: 'a b&c',
  ...more,
})

/** Approves the request in the window and returns the code. */
async function codeFor(app: App, more: Record<string, string | undefined> = {}): Promise<string> {
  const { status, body } = await window.post('/-/oauth/authorization', {
    ...authorization(app, more),
    approve: true,
  })
  expect(status).toBe(200)
  return new URL(body.redirect_to).searchParams.get('code')!
}

const exchange = (app: App, code: string, more: Record<string, string | undefined> = {}) =>
  token({
    grant_type: 'authorization_code',
    code,
    redirect_uri: REDIRECT,
    client_id: app.application_id,
    client_secret: app.secret,
    ...more,
  })

async function pair(app: App, scope = 'read_user'): Promise<{ access_token: string; refresh_token: string }> {
  return (await exchange(app, await codeFor(app, { scope }))).body
}

describe('GET /oauth/authorize', () => {
  const at = (params: Record<string, string | undefined>, who: Browser | null = window): Promise<Answer> =>
    (who ?? w.as(null)).get(`!/oauth/authorize?${query(params)}`, { accept: 'text/html' })
  const target = (answer: Answer) => {
    expect(answer.status).toBe(302)
    return answer.headers.get('location')!
  }

  it('redirects anonymous visitors to the sign-in and back to the consent page', async () => {
    const page = new URL(target(await at(authorization(secretive), null)), w.url)
    expect(page.pathname).toBe('/users/sign_in')
    const back = new URL(page.searchParams.get('redirect')!, w.url)
    expect([back.pathname, back.searchParams.get('state')]).toEqual(['/-/oauth/authorization', 'a b&c'])
  })

  it('redirects signed-in users to the consent page', async () => {
    expect(target(await at(authorization(secretive)))).toBe(
      `/-/oauth/authorization?${query(authorization(secretive))}`,
    )
  })

  it('treats a token as anonymous, because a token may not grant itself more scopes', async () => {
    const answer = await w.as(w.root).get(`!/oauth/authorize?${query(authorization(trusted))}`)
    expect(target(answer)).toMatch(/^\/users\/sign_in/)
  })

  it('skips consent for a trusted application, and for repeated grants of one with a secret', async () => {
    const to = new URL(target(await at(authorization(trusted))))
    expect([to.origin, to.searchParams.get('x'), to.searchParams.get('state')]).toEqual([
      'https://client.example',
      '1',
      'a b&c',
    ])
    expect(to.searchParams.get('code')).toMatch(/^[0-9a-f]{64}$/)
    const known = await register({ name: 'Known' })
    expect(target(await at(authorization(known)))).toMatch(/^\/-\/oauth/)
    await pair(known)
    expect(target(await at(authorization(known)))).toMatch(/^https:\/\/client\.example/)
    expect(target(await at(authorization(known, { scope: 'api' })))).toMatch(/^\/-\/oauth/)
    const page = target(await at({ ...authorization(known), prompt: 'consent' }))
    expect(page).toMatch(/^\/-\/oauth/)
    expect((await window.get(page)).body.consent_needed).toBe(true)
    expect((await window.get(page.replace('prompt', 'x'))).body.consent_needed).toBe(false)
  })

  it('requires consent again for a client without a secret', async () => {
    await pair(open)
    expect(target(await at(authorization(open)))).toMatch(/^\/-\/oauth/)
  })

  it.each([
    [{ response_type: undefined }, 'invalid_request'],
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ scope: 'read_api' }, 'invalid_scope'],
    [{ scope: 'nonsense' }, 'invalid_scope'],
    [{ code_challenge: 'short' }, 'invalid_request'],
    [{ code_challenge: 'a'.repeat(43), code_challenge_method: 'MD5' }, 'invalid_request'],
    [{ code_challenge_method: 'S256' }, 'invalid_request'],
  ])('redirects to the client with the error %j', async (wrong, error) => {
    const to = new URL(target(await at(authorization(secretive, wrong))))
    expect([
      to.host,
      to.searchParams.get('error'),
      to.searchParams.get('state'),
      to.searchParams.get('code'),
    ]).toEqual(['client.example', error, 'a b&c', null])
    expect(to.searchParams.get('error_description')).toBeTruthy()
  })

  it.each([
    { client_id: undefined },
    { client_id: 'unknown' },
    { redirect_uri: undefined },
    { redirect_uri: 'https://client.example/cb' },
    { redirect_uri: `${REDIRECT}&y=2` },
    { redirect_uri: 'https://evil.example/cb?x=1' },
    { redirect_uri: 'javascript:alert(1)' },
  ])('never redirects with %j', async (wrong) => {
    const params = authorization(trusted, wrong)
    expect(target(await at(params))).toMatch(/^\/-\/oauth\/authorization\?/)
    const { body } = await window.get(`/-/oauth/authorization?${query(params)}`)
    expect([body.redirect_to, body.consent_needed]).toEqual([null, false])
    expect(body.error.error).toMatch(/^invalid_(client|request|redirect_uri)$/)
    const decided = await window.post('/-/oauth/authorization', { ...params, approve: true })
    expect([decided.status, decided.body]).toEqual([400, body.error])
  })

  it('answers prompt=none without a page', async () => {
    const errorOf = async (params: Record<string, string>, who: Browser | null) =>
      new URL(target(await at(params, who))).searchParams.get('error')
    expect(await errorOf({ ...authorization(secretive), prompt: 'none' }, null)).toBe('login_required')
    expect(await errorOf({ ...authorization(open), prompt: 'none' }, window)).toBe('consent_required')
    expect(await errorOf({ ...authorization(trusted), prompt: 'none' }, window)).toBe(null)
  })
})

describe('the consent page', () => {
  it('shows the application and its scopes', async () => {
    const params = authorization(open, {
      scope: 'openid read_user',
      redirect_uri: 'http://127.0.0.1:4711/cb',
    })
    const { body } = await window.get(`/-/oauth/authorization?${query(params)}`)
    expect(body).toEqual({
      application: { name: 'App', trusted: false, confidential: false },
      scopes: [
        { name: 'openid', description: expect.any(String) },
        { name: 'read_user', description: expect.any(String) },
      ],
      redirect_host: '127.0.0.1:4711',
      redirect_uri: 'http://127.0.0.1:4711/cb',
      consent_needed: true,
      redirect_to: null,
      error: null,
    })
  })

  it.each([
    ['http://127.0.0.1/cb', true],
    ['http://127.0.0.1:1/cb', true],
    ['http://127.0.0.1:65535/cb', true],
    ['http://[::1]:1/cb', false],
    ['http://localhost:1/cb', false],
    ['https://127.0.0.1:1/cb', false],
    ['http://127.0.0.1:1/cb/', false],
    ['http://127.0.0.1:1/cb?a=1', false],
    ['http://127.0.0.1:1@evil.example/cb', false],
    ['http://user@127.0.0.1:1/cb', false],
    ['http://127.0.0.1:1\\@evil.example/cb', false],
    ['http://2130706433:1/cb', false],
    ['myapp:/cb', true],
    ['myapp:/cb2', false],
  ])('for the redirect URI %s is allowed: %s', async (redirect_uri, fits) => {
    const { body } = await window.get(
      `/-/oauth/authorization?${query(authorization(open, { redirect_uri }))}`,
    )
    expect(body.error === null).toBe(fits)
  })

  it('gives no code without the CSRF token, and none to an API token', async () => {
    const params = { ...authorization(secretive), approve: true }
    const bare = await w.as(null).post('/-/oauth/authorization', params, { cookie: window.cookie })
    expect(bare.status).toBe(401)
    expect((await w.as(w.root).post('/-/oauth/authorization', params)).status).toBe(403)
    expect((await w.as(w.root).get(`/-/oauth/authorization?${query(authorization(secretive))}`)).status).toBe(
      403,
    )
    expect((await w.as(null).get(`/-/oauth/authorization?${query(authorization(secretive))}`)).status).toBe(
      401,
    )
  })

  it('accepts a refusal', async () => {
    const { body } = await window.post('/-/oauth/authorization', {
      ...authorization(secretive),
      approve: false,
    })
    const { searchParams } = new URL(body.redirect_to)
    expect([searchParams.get('error'), searchParams.get('state'), searchParams.get('code')]).toEqual([
      'access_denied',
      'a b&c',
      null,
    ])
  })
})

describe('POST /oauth/token with a code', () => {
  it('returns a pair, which no cache may store', async () => {
    const answer = await exchange(secretive, await codeFor(secretive, { state: undefined }))
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(answer.body).toEqual({
      access_token: expect.stringMatching(/^[0-9a-f]{64}$/),
      token_type: 'Bearer',
      expires_in: 7200,
      refresh_token: expect.stringMatching(/^[0-9a-f]{64}$/),
      scope: 'read_user',
      created_at: clock.now() / 1000,
    })
    expect((await me(answer.body.access_token)).body.username).toBe('root')
    expect((await w.as(null).get(`/user?access_token=${answer.body.access_token}`)).status).toBe(200)
    const stored = JSON.stringify(w.ctx().db.many('SELECT * FROM oauth_tokens'))
    expect(stored).not.toContain(answer.body.access_token)
    expect(stored).not.toContain(answer.body.refresh_token)
  })

  it('accepts JSON, and client credentials by Basic', async () => {
    const params = { grant_type: 'authorization_code', redirect_uri: REDIRECT }
    const answer = await w
      .as(null)
      .post('!/oauth/token', { ...params, code: await codeFor(secretive) }, basic(secretive))
    expect(answer.status).toBe(200)
  })

  it('accepts a code once, and revokes its tokens if it is reused', async () => {
    const code = await codeFor(secretive)
    const { body } = await exchange(secretive, code)
    const refreshed = (await refresh(secretive, body.refresh_token)).body
    const again = await exchange(secretive, code)
    expect([again.status, again.body]).toEqual([400, GRANT_PROBLEM])
    for (const text of [body.access_token, refreshed.access_token])
      expect((await me(text)).body.error_description).toMatch(/^Token was revoked/)
    expect((await refresh(secretive, refreshed.refresh_token)).status).toBe(400)
  })

  it('returns one pair for two concurrent requests with a code', async () => {
    const code = await codeFor(secretive)
    const answers = await Promise.all([exchange(secretive, code), exchange(secretive, code)])
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 400])
  })

  it('accepts a code for ten minutes', async () => {
    const code = await codeFor(secretive)
    clock.advance(600_000)
    expect((await exchange(secretive, code)).body).toEqual(GRANT_PROBLEM)
  })

  it.each([
    [{ redirect_uri: 'https://client.example/other' }, 400, 'invalid_grant'],
    [{ redirect_uri: undefined }, 400, 'invalid_grant'],
    [{ code: 'wrong' }, 400, 'invalid_grant'],
    [{ code: undefined }, 400, 'invalid_request'],
    [{ code_verifier: 'a'.repeat(43) }, 400, 'invalid_grant'],
    [{ client_secret: 'wrong' }, 401, 'invalid_client'],
    [{ client_secret: undefined }, 401, 'invalid_client'],
    [{ client_id: undefined }, 401, 'invalid_client'],
    [{ client_id: 'none' }, 401, 'invalid_client'],
    [{ grant_type: undefined }, 400, 'invalid_request'],
    [{ grant_type: 'magic' }, 400, 'unsupported_grant_type'],
    [{ grant_type: '__proto__' }, 400, 'unsupported_grant_type'],
  ])('refuses %j', async (wrong, status, error) => {
    const answer = await exchange(secretive, await codeFor(secretive), wrong)
    expect([answer.status, answer.body]).toEqual([
      status,
      { error, error_description: expect.stringMatching(/\S/) },
    ])
    const challenge = answer.headers.get('www-authenticate')?.split(' ')[0]
    expect(challenge).toBe(status === 401 ? 'Basic' : undefined)
  })

  it('refuses a code of another client', async () => {
    const code = await codeFor(secretive)
    expect((await exchange(trusted, code)).body).toEqual(GRANT_PROBLEM)
    expect((await exchange(secretive, code)).status).toBe(200)
  })

  it('gives tokens that become invalid with the account', async () => {
    const user = person('barred')
    const theirs = await signIn(w, user.username, user.password)
    const { body } = await theirs.post('/-/oauth/authorization', {
      ...authorization(secretive),
      approve: true,
    })
    const code = new URL(body.redirect_to).searchParams.get('code')!
    const answer = (await exchange(secretive, code)).body
    w.ctx().db.exec("UPDATE users SET state = 'blocked' WHERE id = ?", user.id)
    expect((await me(answer.access_token)).body.message).toContain('blocked')
    expect((await refresh(secretive, answer.refresh_token)).body).toEqual(GRANT_PROBLEM)
  })

  const verifier = 'v'.repeat(50)
  const hashed = createHash('sha256').update(verifier).digest('base64url')
  it.each([
    ['S256', hashed],
    ['plain', verifier],
    [undefined, verifier],
  ])('checks the verifier of PKCE: %s', async (code_challenge_method, code_challenge) => {
    const params = { code_challenge, code_challenge_method }
    const without = { client_secret: undefined }
    const good = await exchange(open, await codeFor(open, params), { ...without, code_verifier: verifier })
    expect(good.status).toBe(200)
    const code = await codeFor(open, params)
    const bad = await exchange(open, code, { ...without, code_verifier: 'w'.repeat(50) })
    expect([bad.status, bad.body]).toEqual([400, GRANT_PROBLEM])
    // A wrong verifier invalidates the code, so that nobody can guess it.
    expect((await exchange(open, code, { ...without, code_verifier: verifier })).status).toBe(400)
    const none = await exchange(open, await codeFor(open, params), without)
    expect(none.body).toEqual(GRANT_PROBLEM)
  })

  it('requires the secret of a confidential client also with PKCE', async () => {
    const code = await codeFor(secretive, { code_challenge: verifier })
    const answer = await exchange(secretive, code, { client_secret: undefined, code_verifier: verifier })
    expect([answer.status, answer.body.error]).toEqual([401, 'invalid_client'])
  })
})

const refresh = (app: App, refresh_token: string, more: Record<string, string | undefined> = {}) =>
  token({
    grant_type: 'refresh_token',
    refresh_token,
    client_id: app.application_id,
    client_secret: app.secret,
    ...more,
  })

/** A user with a password. */
function person(username: string): TestUser {
  const user = w.make.user({ username })
  w.ctx().db.exec(
    'UPDATE users SET password_hash = (SELECT password_hash FROM users WHERE id = 1) WHERE id = ?',
    user.id,
  )
  return { ...user, password: w.root.password }
}

describe('POST /oauth/token with a refresh token', () => {
  it('returns a new pair; the old one ends when the new one is used', async () => {
    const old = await pair(secretive)
    const { status, body } = await refresh(secretive, old.refresh_token)
    expect([status, body.scope]).toEqual([200, 'read_user'])
    expect((await me(old.access_token)).status).toBe(200)
    expect((await me(body.access_token)).status).toBe(200)
    expect((await me(old.access_token)).body).toEqual({
      error: 'invalid_token',
      error_description: 'Token was revoked. You have to re-authorize from the user.',
    })
    expect((await refresh(secretive, old.refresh_token)).body).toEqual(GRANT_PROBLEM)
    expect((await refresh(secretive, body.refresh_token)).status).toBe(200)
  })

  it('works after the access token has expired', async () => {
    const old = await pair(secretive)
    clock.advance(7200_000)
    const revoked = await me(old.access_token)
    expect([revoked.status, revoked.body.error_description]).toEqual([
      401,
      'Token is expired. You can either do re-authorization or token refresh.',
    ])
    expect(revoked.headers.get('www-authenticate')).toContain('error="invalid_token"')
    expect((await refresh(secretive, old.refresh_token)).status).toBe(200)
  })

  it('grants fewer scopes on request, never more', async () => {
    const old = await pair(secretive, 'read_user openid')
    expect((await refresh(secretive, old.refresh_token, { scope: 'read_user' })).body.scope).toBe('read_user')
    expect((await refresh(secretive, old.refresh_token, { scope: 'api' })).body.error).toBe('invalid_scope')
  })

  it('is limited to the client of the token', async () => {
    const old = await pair(secretive)
    expect((await refresh(trusted, old.refresh_token)).body).toEqual(GRANT_PROBLEM)
    expect((await refresh(secretive, old.refresh_token, { client_secret: 'x' })).status).toBe(401)
    expect((await refresh(secretive, 'unknown')).body).toEqual(GRANT_PROBLEM)
    expect((await refresh(secretive, old.access_token)).body).toEqual(GRANT_PROBLEM)
  })
})

describe('POST /oauth/token with a password', () => {
  const withPassword = (more: Record<string, string | undefined> = {}) =>
    token({ grant_type: 'password', username: 'root', password: w.root.password, ...more })

  it('requires no client, and such a pair is refreshed without one', async () => {
    const { status, body } = await withPassword()
    expect([status, body.scope]).toEqual([200, 'api'])
    expect((await me(body.access_token)).status).toBe(200)
    const again = await token({ grant_type: 'refresh_token', refresh_token: body.refresh_token })
    expect(again.status).toBe(200)
  })

  it('requires the secret of a client that has one, and grants no more than its scopes', async () => {
    expect((await withPassword({ client_id: secretive.application_id })).body.error).toBe('invalid_client')
    const app = { client_id: secretive.application_id, client_secret: secretive.secret }
    expect((await withPassword({ ...app, scope: 'read_user' })).status).toBe(200)
    expect((await withPassword({ ...app, scope: 'sudo' })).body.error).toBe('invalid_scope')
  })

  it('refuses invalid credentials', async () => {
    expect((await withPassword({ password: 'wrong' })).body).toEqual(GRANT_PROBLEM)
    expect((await withPassword({ username: 'nobody' })).body).toEqual(GRANT_PROBLEM)
    expect((await withPassword({ password: undefined })).body.error).toBe('invalid_request')
    expect((await withPassword({ scope: 'nonsense' })).body.error).toBe('invalid_scope')
    const barred = person('barred2')
    w.ctx().db.exec("UPDATE users SET state = 'blocked' WHERE id = ?", barred.id)
    expect((await withPassword({ username: 'barred2' })).body).toEqual(GRANT_PROBLEM)
  })
})

describe('POST /oauth/token for the client itself', () => {
  it('returns a token without a user', async () => {
    const { status, body } = await token(
      { grant_type: 'client_credentials', scope: 'read_user' },
      basic(secretive),
    )
    expect([status, body.refresh_token]).toEqual([200, undefined])
    const answer = await me(body.access_token)
    expect([answer.status, answer.body]).toEqual([401, { message: '401 Unauthorized' }])
    expect((await w.as(null).get('!/oauth/token/info', bearer(body.access_token))).body).toMatchObject({
      resource_owner_id: null,
      application: { uid: secretive.application_id },
    })
  })

  it('requires the secret', async () => {
    for (const app of [secretive, open]) {
      const answer = await token({ grant_type: 'client_credentials', client_id: app.application_id })
      expect([answer.status, answer.body.error]).toEqual([401, 'invalid_client'])
    }
  })
})

describe('a token', () => {
  it('returns its own metadata', async () => {
    const { access_token, refresh_token } = await pair(secretive)
    clock.advance(60_000)
    const { status, body } = await w.as(null).get('!/oauth/token/info', bearer(access_token))
    expect([status, body]).toEqual([
      200,
      {
        resource_owner_id: 1,
        scope: ['read_user'],
        expires_in: 7140,
        application: { uid: secretive.application_id },
        created_at: clock.now() / 1000 - 60,
        scopes: ['read_user'],
        expires_in_seconds: 7140,
      },
    ])
    expect((await w.as(null).get(`!/oauth/token/info?access_token=${access_token}`)).status).toBe(200)
    for (const wrong of ['unknown', refresh_token, w.root.token]) {
      const answer = await w.as(null).get('!/oauth/token/info', bearer(wrong))
      expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request'])
    }
    expect((await w.as(null).get('!/oauth/token/info')).status).toBe(400)
  })

  it('is limited to its scopes', async () => {
    const { access_token } = await pair(secretive, 'read_user')
    expect((await w.as(null).get('/projects', bearer(access_token))).body).toEqual({
      error: 'insufficient_scope',
      error_description: 'The request requires higher privileges than provided by the access token.',
      scope: 'api read_api',
    })
    const openid = await pair(secretive, 'openid email')
    expect((await me(openid.access_token)).status).toBe(403)
    const full = await pair(secretive, 'api')
    expect((await w.as(null).post('/projects', { name: 'By app' }, bearer(full.access_token))).status).toBe(
      201,
    )
  })

  it('is not accepted as a private token', async () => {
    const { access_token } = await pair(secretive)
    expect((await w.as(null).get('/user', { 'private-token': access_token })).status).toBe(401)
  })

  it('is revoked by its client', async () => {
    const revoke = (text: string | undefined, app?: App) =>
      w
        .as(null)
        .post(
          '!/oauth/revoke',
          json({ token: text, ...(app ? { client_id: app.application_id, client_secret: app.secret } : {}) }),
        )
    const first = await pair(secretive)
    for (const app of [undefined, trusted, { ...secretive, secret: 'x' }]) {
      const answer = await revoke(first.access_token, app)
      expect([answer.status, answer.body]).toEqual([
        403,
        { error: 'unauthorized_client', error_description: 'You are not authorized to revoke this token' },
      ])
    }
    expect((await me(first.access_token)).status).toBe(200)
    const answer = await revoke(first.access_token, secretive)
    expect([answer.status, answer.body]).toEqual([200, {}])
    expect((await me(first.access_token)).status).toBe(401)
    expect((await refresh(secretive, first.refresh_token)).status).toBe(400)
    const second = await pair(secretive)
    expect((await revoke(second.refresh_token, secretive)).status).toBe(200)
    expect((await me(second.access_token)).status).toBe(401)
    const third = await pair(open)
    expect((await revoke(third.access_token)).status).toBe(200)
    expect((await me(third.access_token)).status).toBe(401)
    for (const nothing of ['unknown', undefined]) expect((await revoke(nothing)).body).toEqual({})
  })

  it('is introspected by its client', async () => {
    const ask = (text: string, headers: Record<string, string>) =>
      w.as(null).post('!/oauth/introspect', json({ token: text }), headers)
    const { access_token, refresh_token } = await pair(secretive)
    const { body } = await ask(access_token, basic(secretive))
    expect(body).toEqual({
      active: true,
      scope: 'read_user',
      client_id: secretive.application_id,
      token_type: 'Bearer',
      exp: body.iat + 7200,
      iat: clock.now() / 1000,
    })
    expect((await ask(refresh_token, basic(secretive))).body).toMatchObject({ active: true })
    expect((await ask(access_token, basic(trusted))).body).toEqual({ active: false })
    expect((await ask('unknown', basic(secretive))).body).toEqual({ active: false })
    for (const headers of [{}, basic(open), basic({ ...secretive, secret: 'x' })]) {
      const answer = await ask(access_token, headers)
      // A public client cannot authenticate with a secret.
      expect([answer.status, answer.body.error]).toEqual([401, 'invalid_client'])
    }
    clock.advance(7200_000)
    expect((await ask(access_token, basic(secretive))).body).toEqual({ active: false })
  })
})

describe('OpenID', () => {
  it('publishes its endpoints', async () => {
    const { body } = await w.as(null).get('!/.well-known/openid-configuration')
    expect(body).toMatchObject({
      issuer: w.url,
      authorization_endpoint: `${w.url}/oauth/authorize`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      code_challenge_methods_supported: ['plain', 'S256'],
    })
    expect((await w.as(null).get('!/.well-known/oauth-authorization-server')).body).toEqual(body)
    const finger = await w.as(null).get('!/.well-known/webfinger?resource=acct:root@here')
    expect(finger.body).toMatchObject({ subject: 'acct:root@here', links: [{ href: w.url }] })
    expect((await w.as(null).get('!/.well-known/webfinger')).body).toEqual({ error: 'resource is missing' })
  })

  it('signs the id token of a sign-in', async () => {
    const { body } = await exchange(
      secretive,
      await codeFor(secretive, { scope: 'openid email', nonce: 'n1' }),
    )
    const keys = createRemoteJWKSet(new URL(`${w.url}/oauth/discovery/keys`))
    const { payload, protectedHeader } = await jwtVerify(body.id_token, keys, {
      issuer: w.url,
      audience: secretive.application_id,
      currentDate: new Date(clock.now()),
    })
    expect(protectedHeader.alg).toBe('RS256')
    expect(payload).toMatchObject({ sub: '1', nonce: 'n1', email: 'admin@example.com', email_verified: true })
    const published = (await w.as(null).get('!/oauth/discovery/keys')).body.keys
    expect(Object.keys(published[0]).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use'])
  })

  it('returns the claims of a user', async () => {
    const group = await w.make.group({ path: 'claimed', name: 'Claimed' })
    const { access_token } = await pair(secretive, 'openid')
    for (const answer of [
      await w.as(null).get('!/oauth/userinfo', bearer(access_token)),
      await w.as(null).post('!/oauth/userinfo', json({ access_token })),
    ]) {
      expect(answer.body).toMatchObject({
        sub: '1',
        nickname: 'root',
        profile: `${w.url}/root`,
        groups: [group.full_path],
        'https://gitlab.org/claims/groups/owner': [group.full_path],
      })
      expect(answer.body.email).toBeUndefined()
    }
    const plain = await pair(secretive, 'read_user')
    expect((await w.as(null).get('!/oauth/userinfo', bearer(plain.access_token))).body).toMatchObject({
      error: 'insufficient_scope',
      scope: 'openid',
    })
    expect((await w.as(null).get('!/oauth/userinfo')).status).toBe(401)
    expect((await window.get('!/oauth/userinfo')).status).toBe(401)
  })
})

describe('the applications that a user authorized', () => {
  it('are listed once each, and can be revoked', async () => {
    const user = person('giver')
    const theirs = await signIn(w, user.username, user.password)
    const give = async (scope: string) => {
      const { body } = await theirs.post('/-/oauth/authorization', {
        ...authorization(secretive, { scope }),
        approve: true,
      })
      return (await exchange(secretive, new URL(body.redirect_to).searchParams.get('code')!)).body
    }
    const [first, two] = [await give('read_user'), await give('openid')]
    const { body: loose } = await token({
      grant_type: 'password',
      username: 'giver',
      password: user.password,
    })
    const list = (await theirs.get('/-/profile/authorized_applications')).body
    expect(list).toEqual([
      {
        application_id: secretive.id,
        token_id: null,
        name: 'App',
        scopes: ['read_user', 'openid'],
        created_at: expect.any(String),
        last_used_at: null,
      },
      expect.objectContaining({
        application_id: null,
        token_id: expect.any(Number),
        name: null,
        scopes: ['api'],
      }),
    ])
    expect((await window.delete(`/-/profile/authorized_tokens/${list[1].token_id}`)).status).toBe(404)
    expect((await theirs.delete(`/-/profile/authorized_applications/${secretive.id}`)).status).toBe(204)
    expect((await theirs.delete(`/-/profile/authorized_applications/${secretive.id}`)).status).toBe(404)
    expect((await theirs.delete(`/-/profile/authorized_tokens/${list[1].token_id}`)).status).toBe(204)
    for (const { access_token } of [first, two, loose]) expect((await me(access_token)).status).toBe(401)
    expect((await theirs.get('/-/profile/authorized_applications')).body).toEqual([])
  })
})

describe('pages and programs of other origins', () => {
  it('are allowed on endpoints without cookies', async () => {
    const foreign = { origin: 'https://client.example' }
    const answer = await token({ grant_type: 'magic' }, foreign)
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([400, '*'])
    expect((await token({ grant_type: 'magic' }, { origin: 'null' })).status).toBe(400)
    const preflight = await w
      .as(null)
      .options('!/oauth/token', { ...foreign, 'access-control-request-method': 'POST' })
    expect(preflight.status).toBe(204)
    expect((await w.as(null).get(`!/oauth/authorize?${query(authorization(trusted))}`, foreign)).status).toBe(
      403,
    )
  })
})

describe('git over HTTP', () => {
  it('accepts an OAuth token as the password of oauth2', async () => {
    const project = await w.make.project({ with: 'readme' })
    const refs = (login: string, text: string) =>
      w.as(null).get(`!/root/${project.path}.git/info/refs?service=git-upload-pack`, {
        authorization: `Basic ${Buffer.from(`${login}:${text}`).toString('base64')}`,
      })
    const full = await pair(secretive, 'api')
    expect((await refs('oauth2', full.access_token)).status).toBe(200)
    expect((await refs('root', full.access_token)).status).toBe(401)
    expect((await refs('oauth2', (await pair(secretive)).access_token)).status).toBe(403)
  })
})

describe('expired tokens', () => {
  it('are kept for a month and then deleted', async () => {
    const { access_token } = await pair(secretive)
    await w.as(null).post('!/oauth/revoke', json({ token: access_token }), basic(secretive))
    const clean = () => crons.find((cron) => cron.name === 'oauth.remove_ended')!.run(w.ctx())
    const count = () =>
      w
        .ctx()
        .db.one<{ revoked: boolean }>(
          'SELECT count(*) AS revoked FROM oauth_tokens WHERE revoked_at IS NOT NULL',
        )!.revoked
    await clean()
    expect(count()).toBeGreaterThan(0)
    const live = w
      .ctx()
      .db.one<{ id: number }>(
        'SELECT id FROM oauth_tokens WHERE revoked_at IS NULL AND refresh_digest IS NOT NULL',
      )!
    clock.advance(31 * 86_400_000)
    await clean()
    expect(count()).toBe(0)
    expect(w.ctx().db.one('SELECT 1 FROM oauth_grants')).toBeUndefined()
    expect(w.ctx().db.one('SELECT 1 FROM oauth_tokens WHERE id = ?', live.id)).toBeDefined()
  })
})
