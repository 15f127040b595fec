import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { beforeAll, describe, expect, it } from 'vitest'

import { frozenClock } from '../../../server/lib/clock.ts'
import { signIn } from '../../support/browser-session.ts'
import { world, type TestUser, type World } from '../../support/world.ts'

const clock = frozenClock('2026-03-01T12:00:00.000Z')
let w: World
let user: TestUser
let other: TestUser
beforeAll(async () => {
  w = await world({ clock, logLevel: 'info' })
  user = w.make.user({ username: 'Carrier' })
  other = w.make.user({ username: 'other' })
})

const UNAUTHORIZED = { message: '401 Unauthorized' }
const nobody = () => w.as(null)
const withScopes = (scopes: string[], of: TestUser = user) => w.as({ ...of, token: w.make.token(of, scopes) })

describe('a personal access token', () => {
  it.each([
    ['header', () => nobody().get('/user', { 'private-token': user.token })],
    ['query', () => nobody().get(`/user?private_token=${user.token}`)],
    ['bearer', () => nobody().get('/user', { authorization: `Bearer ${user.token}` })],
    ['bearer in another case', () => nobody().get('/user', { authorization: `bearer  ${user.token}` })],
    ['access_token', () => nobody().get(`/user?access_token=${user.token}`)],
  ])('is taken from the %s', async (_, ask) => {
    const { status, body } = await ask()
    expect([status, body.username]).toEqual([200, 'Carrier'])
  })

  it.each(['private_token', 'access_token'])('is accepted in a body as %s', async (name) => {
    const json = await nobody().post('/projects', { name: `By ${name}`, [name]: user.token })
    expect([json.status, json.body.creator_id]).toEqual([201, user.id])
    const form = await nobody().post(
      '/projects',
      new URLSearchParams({ name: `Form ${name}`, [name]: user.token }),
    )
    expect([form.status, form.body.creator_id]).toEqual([201, user.id])
  })

  it.each([
    ['header', () => nobody().get('/projects', { 'private-token': 'wrong' })],
    ['query', () => nobody().get('/projects?private_token=wrong')],
    ['bearer', () => nobody().get('/projects', { authorization: 'Bearer wrong' })],
    ['access_token', () => nobody().get('/projects?access_token=wrong')],
    ['list', () => nobody().get('/projects?private_token[]=wrong')],
    ['number of a body', () => nobody().post('/markdown', { text: 'x', access_token: 1 })],
    ['job token', () => nobody().get('/projects', { 'job-token': 'wrong' })],
    ['job token of the query', () => nobody().get('/projects?job_token=wrong')],
    ['body', () => nobody().post('/markdown', { text: 'x', private_token: 'wrong' })],
  ])('that does not exist is refused, also on public endpoints: %s', async (_, ask) => {
    const answer = await ask()
    expect([answer.status, answer.body]).toEqual([401, UNAUTHORIZED])
  })

  it('is searched in the order of the contract', async () => {
    const get = (headers: Record<string, string>, query = '') => nobody().get(`/user${query}`, headers)
    const both = { 'private-token': user.token, authorization: `Bearer ${other.token}` }
    expect((await get(both)).body.username).toBe('Carrier')
    expect((await get({ ...both, 'private-token': 'wrong' })).status).toBe(401)
    expect((await get({ ...both, 'job-token': 'x' })).status).toBe(401)
    expect(
      (await get({ authorization: `Bearer ${other.token}` }, `?private_token=${user.token}`)).body.username,
    ).toBe('Carrier')
    const window = await signIn(w)
    expect((await window.get('/user', { 'private-token': user.token })).body.username).toBe('Carrier')
  })

  it('returns the reason if it is invalid', async () => {
    const expiring = w.make.token(user, ['api'], { expires_at: '2026-03-01' })
    const expired = await nobody().get('/user', { 'private-token': expiring })
    expect([expired.status, expired.body]).toEqual([
      401,
      {
        error: 'invalid_token',
        error_description: 'Token is expired. You can either do re-authorization or token refresh.',
      },
    ])
    expect(expired.headers.get('www-authenticate')).toBe(
      'Bearer realm="Protected by OAuth 2.0", error="invalid_token", error_description="Token is expired. You can either do re-authorization or token refresh."',
    )
  })

  it.each([
    ['blocked', '403 Forbidden - Your account has been blocked.'],
    ['banned', '403 Forbidden - Your account has been blocked.'],
    ['ldap_blocked', '403 Forbidden - Your account has been blocked.'],
    [
      'blocked_pending_approval',
      '403 Forbidden - Your account is pending approval from your administrator and hence blocked.',
    ],
    [
      'deactivated',
      expect.stringMatching(
        /^403 Forbidden - Your account has been deactivated by your administrator\. Please log back in from a web browser to reactivate your account at http:/,
      ),
    ],
  ])('is refused for an account that is %s', async (state, message) => {
    const barred = w.make.user()
    w.ctx().db.exec('UPDATE users SET state = ? WHERE id = ?', state, barred.id)
    const answer = await w.as(barred).get('/user')
    expect([answer.status, answer.body]).toEqual([403, { message }])
  })
})

describe('scopes', () => {
  const refused = (scope: string) => ({
    error: 'insufficient_scope',
    error_description: 'The request requires higher privileges than provided by the access token.',
    scope,
  })

  it('limit a token', async () => {
    const reader = withScopes(['read_api'])
    expect((await reader.get('/projects')).status).toBe(200)
    expect((await reader.head('/projects')).status).toBe(200)
    const write = await reader.post('/projects', { name: 'x' })
    expect([write.status, write.body]).toEqual([403, refused('api')])
    const profile = withScopes(['read_user'])
    expect((await profile.get('/user')).status).toBe(200)
    expect((await profile.get('/users')).status).toBe(200)
    expect((await profile.get('/projects')).body).toEqual(refused('api read_api'))
    const code = withScopes(['read_repository'])
    expect((await code.get('/user')).body).toEqual(refused('api read_api read_user'))
    for (const scope of ['write_repository', 'sudo', 'admin_mode'])
      expect((await withScopes([scope]).get('/user')).status).toBe(403)
  })

  it('for reading allow no write, whatever the endpoint declares', async () => {
    const status = await withScopes(['read_user']).put('/user/status', { message: 'x' })
    expect(status.status).not.toBe(200)
  })
})

describe('sudo', () => {
  const root = () => withScopes(['api', 'sudo'], w.root)

  it.each([
    ['an id in the query', () => root().get(`/user?sudo=${user.id}`)],
    ['a name in any case', () => root().get('/user?sudo=cARRIER')],
    ['the header', () => root().get('/user', { sudo: 'carrier' })],
    ['the header with an id', () => root().get('/user', { sudo: String(user.id) })],
  ])('acts as another user: %s', async (_, ask) => {
    const { status, body } = await ask()
    expect([status, body.username, body.is_admin]).toEqual([200, 'Carrier', undefined])
  })

  it('works in the body, with the rights of the other user', async () => {
    const made = await root().post('/projects', { name: 'By sudo', sudo: user.id })
    expect([made.status, made.body.creator_id]).toEqual([201, user.id])
    const hidden = await w.make.project()
    expect((await root().get(`/projects/${hidden.id}?sudo=carrier`)).body).toEqual({
      message: '404 Project Not Found',
    })
    expect((await root().get('/application/settings?sudo=carrier')).status).toBe(403)
    expect((await root().get('/application/settings?sudo=root')).status).toBe(200)
  })

  it('requires only its scope', async () => {
    expect((await withScopes(['sudo'], w.root).get('/user?sudo=carrier')).body.username).toBe('Carrier')
  })

  it('is recorded in the log', async () => {
    await root().get('/user?sudo=carrier')
    await w.ctx().log.flush()
    const log = readFileSync(join(w.dataDir, 'logs', 'deskforge.log'), 'utf8')
    expect(log).toContain(`"user_id":${user.id},"sudo_by":1`)
  })

  it("is refused with the contract's messages", async () => {
    const bodyOf = async (ask: Promise<{ status: number; body: unknown }>) => {
      const { status, body } = await ask
      return [status, body]
    }
    const message = (text: string) => ({ message: text })
    expect(await bodyOf(w.as(user).get('/user?sudo=root'))).toEqual([
      403,
      message('403 Forbidden - Must be admin to use sudo'),
    ])
    const window = await signIn(w)
    expect(await bodyOf(window.get('/user?sudo=carrier'))).toEqual([
      403,
      message('403 Forbidden - Must be authenticated using an OAuth or Personal Access Token to use sudo'),
    ])
    expect(await bodyOf(withScopes(['api'], w.root).get('/user?sudo=carrier'))).toEqual([
      403,
      {
        error: 'insufficient_scope',
        error_description: 'The request requires higher privileges than provided by the access token.',
        scope: 'sudo',
      },
    ])
    for (const whom of ['nobody', '123456', '0', '-1', '../x', '99999999999999999999'])
      expect(await bodyOf(root().get(`/user?sudo=${encodeURIComponent(whom)}`))).toEqual([
        404,
        message(`404 User with ID or username '${whom}' Not Found`),
      ])
    expect(await bodyOf(nobody().get('/user?sudo=carrier'))).toEqual([401, UNAUTHORIZED])
    expect(await bodyOf(nobody().get('/projects', { sudo: 'carrier' }))).toEqual([401, UNAUTHORIZED])
  })

  it('does nothing when it is empty', async () => {
    expect((await w.as(user).get('/user?sudo=')).status).toBe(200)
  })

  it('works with an OAuth token', async () => {
    const { body } = await nobody().post(
      '!/oauth/token',
      new URLSearchParams({
        grant_type: 'password',
        username: 'root',
        password: w.root.password,
        scope: 'sudo',
      }),
    )
    const answer = await nobody().get('/user?sudo=carrier', { authorization: `Bearer ${body.access_token}` })
    expect(answer.body.username).toBe('Carrier')
  })
})
