import { beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { frozenClock } from '../../../server/lib/clock.ts'
import { sendRaw } from '../../support/raw-http.ts'
import { world, type TestUser, type World } from '../../support/world.ts'

const clock = frozenClock('2026-03-01T12:00:00.000Z')
let w: World
beforeAll(async () => {
  w = await world({ clock, allowedHosts: ['forge.example'] })
})

const ask = (headers: Record<string, string>, path = '/api/v4/user', method = 'GET') =>
  sendRaw(
    w.url,
    [
      `${method} ${path} HTTP/1.1`,
      ...Object.entries({ Host: 'localhost', Connection: 'close', ...headers }).map(
        ([name, value]) => `${name}: ${value}`,
      ),
      '',
      '',
    ].join('\r\n'),
  )
const token = (): Record<string, string> => ({ 'PRIVATE-TOKEN': w.root.token })

describe('the host of a request', () => {
  it.each([
    'localhost',
    'localhost:7080',
    'LOCALHOST',
    '127.0.0.1',
    '127.0.0.1:1',
    '[::1]',
    '[::1]:7080',
    'me.localhost',
    'forge.example',
    'forge.example:8443',
  ])('may be one of the instance: %s', async (host) => {
    expect((await ask({ ...token(), Host: host })).status).toBe(200)
  })

  it.each([
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.nip.io',
    'evil.example:7080',
    '10.0.0.1',
    '0.0.0.0',
    'xlocalhost',
    'localhost@evil.example',
    'evil.example#localhost',
    '[::2]',
    '127.0.0.1.',
    ' ',
    'sub.forge.example',
  ])('may not be another one, as in DNS rebinding: %j', async (host) => {
    for (const path of [
      '/api/v4/user',
      '/-/health',
      '/-/session',
      '/',
      '/group/project.git/info/refs?service=git-upload-pack',
    ]) {
      const answer = await ask({ ...token(), Host: host }, path)
      expect([path, answer.status]).toEqual([path, 403])
      expect(answer.headers['access-control-allow-origin']).toBeUndefined()
    }
  })
})

describe('the origin of a request', () => {
  it.each([
    'https://evil.example',
    'http://evil.example:7080',
    'http://localhost.evil.example',
    'chrome-extension://abc',
    'file://',
    'nonsense',
    'http://',
  ])('may not be another site: %s', async (origin) => {
    for (const method of ['GET', 'POST', 'OPTIONS']) {
      const answer = await ask(
        { ...token(), Origin: origin, 'Access-Control-Request-Method': 'POST' },
        '/api/v4/user',
        method,
      )
      expect(answer.status).toBe(403)
      expect(answer.headers['access-control-allow-origin']).toBeUndefined()
    }
  })

  it('may be another port of this machine, which can then read the headers of lists', async () => {
    const answer = await ask({ ...token(), Origin: 'http://localhost:3000' })
    expect([answer.status, answer.headers['access-control-allow-origin'], answer.headers['vary']]).toEqual([
      200,
      'http://localhost:3000',
      'Origin',
    ])
    expect(answer.headers['access-control-expose-headers']).toContain('X-Total')
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined()
  })

  it('may send a preflight request', async () => {
    const preflight = {
      Origin: 'http://localhost:3000',
      'Access-Control-Request-Method': 'PUT',
      'Access-Control-Request-Headers': 'private-token',
    }
    const answer = await ask(preflight, '/api/v4/application/settings', 'OPTIONS')
    expect([answer.status, answer.headers['access-control-allow-headers']]).toEqual([204, 'private-token'])
    expect(answer.headers['access-control-allow-methods']).toContain('PUT')
  })

  it('may be missing in reads, but not in writes', async () => {
    expect((await ask({ ...token(), Origin: 'null' })).status).toBe(200)
    expect((await ask({ ...token(), Origin: 'null' }, '/api/v4/application/settings', 'PUT')).status).toBe(
      403,
    )
  })
})

describe('a token', () => {
  it.each([
    ['PRIVATE-TOKEN', () => token()],
    ['Authorization', () => ({ Authorization: `Bearer ${w.root.token}` })],
    ['authorization in other letters', () => ({ Authorization: `bearer   ${w.root.token}` })],
  ])('is taken from the header %s', async (_, headers) => {
    expect((await ask(headers())).status).toBe(200)
  })

  it('may be in the query, and does not appear in links', async () => {
    for (const name of ['private_token', 'access_token']) {
      const answer = await w.as(null).get(`/users?${name}=${w.root.token}&per_page=1&search=r`)
      expect(answer.status).toBe(200)
      expect(answer.headers.get('link')).toContain('search=r')
      expect(answer.headers.get('link')).not.toContain(w.root.token)
    }
  })

  it('is refused if it is invalid, even for public data', async () => {
    for (const path of ['/user', '/users?username=root', '/projects']) {
      const answer = await w.as({ ...w.root, token: 'wrong' }).get(path)
      expect([path, answer.status, answer.body]).toEqual([path, 401, { message: '401 Unauthorized' }])
    }
    expect((await ask({ Authorization: 'Bearer wrong' })).status).toBe(401)
    expect((await ask({}, '/api/v4/users?username=root&private_token=wrong')).status).toBe(401)
  })

  it('is not accepted in basic authentication', async () => {
    const basic = Buffer.from(`root:${w.root.password}`).toString('base64')
    expect((await ask({ Authorization: `Basic ${basic}` })).status).toBe(401)
  })

  it.each(['Bearer', 'Bearer ', 'Bearer a b', 'Token x', 'nonsense', 'Basic', 'Basic !!!'])(
    'does not count in an unreadable header: %s',
    async (value) => {
      expect((await ask({ Authorization: value })).status).toBe(401)
    },
  )

  it('is invalid after its expiry date', async () => {
    const user = w.make.user()
    const expiring = { ...user, token: w.make.token(user, ['api'], { expires_at: '2026-03-02' }) }
    expect((await w.as(expiring).get('/user')).status).toBe(200)
    clock.advance(12 * 3_600_000)
    const answer = await w.as(expiring).get('/user')
    expect([answer.status, answer.body]).toEqual([
      401,
      {
        error: 'invalid_token',
        error_description: 'Token is expired. You can either do re-authorization or token refresh.',
      },
    ])
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer realm="[^"]+", error="invalid_token"/)
  })

  it('is invalid at once when it is revoked', async () => {
    const user = w.make.user()
    expect((await w.as(user).get('/user')).status).toBe(200)
    expect((await w.as(user).delete('/personal_access_tokens/self')).status).toBe(204)
    const answer = await w.as(user).get('/user')
    expect([answer.status, answer.body.error_description]).toEqual([
      401,
      'Token was revoked. You have to re-authorize from the user.',
    ])
  })
})

describe('the scope of a token', () => {
  let user: TestUser
  beforeEach(() => {
    user = w.make.user({ admin: true })
  })
  const withScopes = (...scopes: string[]) => w.as({ ...user, token: w.make.token(user, scopes) })

  it.each([
    ['api', 200, 200, 200],
    ['read_api', 200, 403, 200],
    ['read_user', 403, 403, 200],
    ['read_repository', 403, 403, 403],
    ['write_repository', 403, 403, 403],
    ['sudo', 403, 403, 403],
  ])('%s: settings %i, changing them %i, the user %i', async (scope, read, write, self) => {
    const client = withScopes(scope)
    const statuses = [
      (await client.get('/application/settings')).status,
      (await client.put('/application/settings', { sign_in_text: scope })).status,
      (await client.get('/user')).status,
    ]
    expect(statuses).toEqual([read, write, self])
  })

  it('returns the sufficient scopes if it is insufficient', async () => {
    const answer = await withScopes('read_repository').get('/user')
    expect(answer.body).toEqual({
      error: 'insufficient_scope',
      error_description: 'The request requires higher privileges than provided by the access token.',
      scope: 'api read_api read_user',
    })
    expect((await withScopes('read_api').put('/users/1', { note: 'x' })).body.scope).toBe('api')
  })

  it('applies to public data, too', async () => {
    expect((await withScopes('read_repository').get('/projects')).status).toBe(403)
    expect((await w.as(null).get('/projects')).status).toBe(200)
  })

  it('applies to the event stream', async () => {
    expect((await withScopes('read_repository').get('/-/events')).status).toBe(403)
  })
})

describe('a user who may not act', () => {
  it.each([
    ['blocked', '403 Forbidden - Your account has been blocked.'],
    ['banned', '403 Forbidden - Your account has been blocked.'],
    [
      'blocked_pending_approval',
      '403 Forbidden - Your account is pending approval from your administrator and hence blocked.',
    ],
    [
      'deactivated',
      '403 Forbidden - Your account has been deactivated by your administrator. Please log back in from a web browser to reactivate your account at ',
    ],
  ])('gets the reason of the 403: %s', async (state, message) => {
    const user = w.make.user()
    expect((await w.as(user).get('/user')).status).toBe(200)
    w.ctx().db.exec('UPDATE users SET state = ? WHERE id = ?', state, user.id)
    for (const path of ['/user', '/projects', '/users?username=root']) {
      const answer = await w.as(user).get(path)
      expect(answer.status).toBe(403)
      expect(answer.body.message).toBe(message.endsWith(' at ') ? message + w.url : message)
    }
  })
})
