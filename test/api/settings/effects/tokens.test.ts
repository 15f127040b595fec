import { createECDH } from 'node:crypto'

import { afterEach, beforeAll, describe, expect, it } from 'vitest'

import { revokeOverlongTokens } from '../../../../server/domains/auth/jobs.ts'
import { frozenClock } from '../../../../server/lib/clock.ts'
import { signIn } from '../../../support/browser-session.ts'
import { world, type TestUser, type World } from '../../../support/world.ts'

const clock = frozenClock('2026-03-01T12:00:00.000Z')
const HOUR = 3_600_000
let w: World
let user: TestUser
beforeAll(async () => {
  w = await world({ clock })
  user = w.make.user()
})
afterEach(() => {
  w.ctx().db.exec("UPDATE application_settings SET changes = '{}'")
})
const set = async (changes: object) => {
  const { status, text } = await w.as(w.root).put('/application/settings', changes)
  expect([status, status === 200 ? '' : text]).toEqual([200, ''])
}
const make = (more: object = {}) =>
  w.as(w.root).post(`/users/${user.id}/personal_access_tokens`, { name: 't', scopes: ['api'], ...more })

describe('personal access tokens', () => {
  it('personal_access_token_prefix: is the start of new tokens', async () => {
    await set({ personal_access_token_prefix: 'forge.' })
    const { body } = await make()
    expect(body.token).toMatch(/^forge\.\S{20}$/)
    expect((await w.as({ ...user, token: body.token }).get('/user')).status).toBe(200)
    await set({ personal_access_token_prefix: '' })
    expect((await make()).body.token).toMatch(/^[\w-]{20}$/)
  })

  it('max_personal_access_token_lifetime: limits new tokens, and revokes existing ones after three hours', async () => {
    const [endless, late, soon] = [
      w.make.token(user, ['api']),
      w.make.token(user, ['api'], { expires_at: '2026-04-30' }),
      w.make.token(user, ['api'], { expires_at: '2026-03-20' }),
    ]
    const project = await w.make.project()
    const bot = (
      await w.as(w.root).post(`/projects/${project.id}/access_tokens`, { name: 'b', scopes: ['api'] })
    ).body
    await set({ max_personal_access_token_lifetime: 30 })
    expect((await make()).body).toEqual({ message: { expires_at: ["can't be blank"] } })
    expect((await make({ expires_at: '2026-04-01' })).body).toEqual({
      message: { expires_at: ['must be no later than 2026-03-31'] },
    })
    expect((await make({ expires_at: '2026-03-31' })).status).toBe(201)
    const { id } = (await make({ expires_at: '2026-03-31' })).body
    expect(
      (await w.as(w.root).post(`/personal_access_tokens/${id}/rotate`, { expires_at: '2027-01-01' })).status,
    ).toBe(400)
    expect((await w.as(w.root).post(`/personal_access_tokens/${id}/rotate`)).body.expires_at).toBe(
      '2026-03-08',
    )
    const works = async () =>
      Promise.all(
        [endless, late, soon, bot.token].map(
          async (token) => (await w.as({ ...user, token }).get('/user')).status,
        ),
      )
    await w.drain()
    expect(await works()).toEqual([200, 200, 200, 200])
    const waiting = w
      .ctx()
      .db.one<{ run_at: string }>("SELECT run_at FROM jobs WHERE name = 'auth.revoke_long_tokens'")
    expect(waiting).toEqual({ run_at: new Date(clock.now() + 3 * HOUR).toISOString() })
    // The token of root has no expiry either, so it is restored for the other tests.
    await revokeOverlongTokens.run(w.ctx(), {})
    w.ctx().db.exec('UPDATE personal_access_tokens SET revoked = 0 WHERE user_id = 1')
    w.ctx().db.exec(
      'UPDATE personal_access_tokens SET revoked = 0 WHERE user_id = ? AND id = (SELECT min(id) FROM personal_access_tokens WHERE user_id = ?)',
      user.id,
      user.id,
    )
    expect(await works()).toEqual([401, 401, 200, 200])
  })

  it('require_personal_access_token_expiry: requires any expiry date', async () => {
    await set({ require_personal_access_token_expiry: true })
    expect((await make()).body).toEqual({ message: { expires_at: ["can't be blank"] } })
    expect((await make({ expires_at: '2036-03-31' })).status).toBe(201)
    const project = await w.make.project()
    const params = { name: 'b', scopes: ['api'] }
    expect((await w.as(w.root).post(`/projects/${project.id}/access_tokens`, params)).status).toBe(400)
  })

  it('disable_personal_access_tokens: refuses new and existing tokens, except those of bots', async () => {
    const project = await w.make.project()
    const bot = (
      await w.as(w.root).post(`/projects/${project.id}/access_tokens`, { name: 'b', scopes: ['api'] })
    ).body
    const window = await signIn(w)
    await set({ disable_personal_access_tokens: true })
    expect((await w.as(user).get('/user')).status).toBe(401)
    expect((await w.as(w.root).get('/user')).status).toBe(401)
    expect((await w.as({ ...user, token: bot.token }).get('/user')).status).toBe(200)
    const git = await w
      .as(null)
      .get(`!/${project.path_with_namespace}.git/info/refs?service=git-upload-pack`, {
        authorization: `Basic ${Buffer.from(`root:${w.root.token}`).toString('base64')}`,
      })
    expect(git.status).toBe(401)
    const made = await window.post('/-/profile/personal_access_tokens', { name: 't', scopes: ['api'] })
    expect([made.status, made.body.message]).toEqual([
      403,
      '403 Forbidden - Personal access tokens are disabled.',
    ])
    expect(
      (await window.put('/application/settings', { disable_personal_access_tokens: false })).status,
    ).toBe(200)
    expect((await w.as(user).get('/user')).status).toBe(200)
  })
})

describe('SSH keys', () => {
  const keys = [
    { setting: 'dsa_key_restriction', kind: 'DSA' },
    { setting: 'ecdsa_key_restriction', kind: 'ECDSA' },
    { setting: 'ecdsa_sk_key_restriction', kind: 'ECDSA_SK' },
    { setting: 'ed25519_sk_key_restriction', kind: 'ED25519_SK' },
  ]
  it.each(keys)('$setting refuses keys of its type', async ({ setting, kind }) => {
    const key = KEYS[kind]!
    const add = () => w.as(w.root).post(`/users/${user.id}/keys`, { title: 'k', key })
    await set({ [setting]: -1 })
    const refused = await add()
    expect([refused.status, refused.body.message.key]).toEqual([
      400,
      [expect.stringMatching(/^type is forbidden\. Must be .*, or /)],
    ])
    const [, allowed] = /Must be (.*)$/.exec(refused.body.message.key[0])!
    expect(allowed!.split(/, (?:or )?/)).not.toContain(kind)
    await set({ [setting]: 0 })
    expect((await add()).status).toBe(201)
  })
})

describe('runner tokens', () => {
  const register = (token: string) => w.as(null).post('/runners', { token })
  const verify = (token: string) => w.as(null).post('/runners/verify', { token })
  const intervals = [
    { setting: 'runner_token_expiration_interval', of: 'instance' },
    { setting: 'group_runner_token_expiration_interval', of: 'group' },
    { setting: 'project_runner_token_expiration_interval', of: 'project' },
  ]
  const tokens: Record<string, string> = {}
  beforeAll(async () => {
    const group = await w.make.group()
    const project = await w.make.project()
    const of = (path: string) => w.as(w.root).post(path)
    tokens['instance'] = (await of('/runners/reset_registration_token')).body.token
    tokens['group'] = (await of(`/groups/${group.id}/runners/reset_registration_token`)).body.token
    tokens['project'] = (await of(`/projects/${project.id}/runners/reset_registration_token`)).body.token
  })

  it.each(intervals)('$setting expires them', async ({ setting, of }) => {
    const before = await register(tokens[of]!)
    expect([before.status, before.body.token_expires_at]).toEqual([201, null])
    await set({ [setting]: 7200 })
    const { body } = await register(tokens[of]!)
    expect(body.token_expires_at).toBe(new Date(clock.now() + 2 * HOUR).toISOString())
    expect((await verify(body.token)).body.token_expires_at).toBe(body.token_expires_at)
    for (const other of Object.keys(tokens).filter((name) => name !== of))
      expect((await register(tokens[other]!)).body.token_expires_at).toBeNull()
    clock.advance(HOUR)
    const next = (await w.as(null).post('/runners/reset_authentication_token', { token: body.token })).body
    expect(next.token_expires_at).toBe(new Date(clock.now() + 2 * HOUR).toISOString())
    expect((await verify(body.token)).status).toBe(403)
    clock.advance(2 * HOUR)
    expect((await verify(next.token)).status).toBe(403)
    expect((await w.as(null).post('/jobs/request', { token: next.token })).status).toBe(403)
    expect((await verify(before.body.token)).status).toBe(200)
  })

  it('valid_runner_registrars: limits which registration tokens register runners', async () => {
    const statuses = async () => [
      (await register(tokens['instance']!)).status,
      (await register(tokens['group']!)).status,
      (await register(tokens['project']!)).status,
    ]
    await set({ valid_runner_registrars: ['group'] })
    expect(await statuses()).toEqual([201, 201, 403])
    await set({ valid_runner_registrars: [] })
    expect(await statuses()).toEqual([201, 403, 403])
  })

  it('allow_runner_registration_token: allows registration tokens', async () => {
    await set({ allow_runner_registration_token: false })
    const refused = await register(tokens['instance']!)
    expect([refused.status, refused.body]).toEqual([
      410,
      { message: '410 Gone - runner registration disallowed' },
    ])
    expect((await w.as(w.root).post('/user/runners', { runner_type: 'instance_type' })).status).toBe(201)
  })
})

/** Public keys of each type without private keys. */
const KEYS: Readonly<Record<string, string>> = {
  DSA: sshKey('ssh-dss', [number(128), number(20), number(128), number(128)]),
  ECDSA: sshKey('ecdsa-sha2-nistp256', [Buffer.from('nistp256'), point()]),
  ECDSA_SK: sshKey('sk-ecdsa-sha2-nistp256@openssh.com', [
    Buffer.from('nistp256'),
    point(),
    Buffer.from('ssh:'),
  ]),
  ED25519_SK: sshKey('sk-ssh-ed25519@openssh.com', [Buffer.alloc(32, 7), Buffer.from('ssh:')]),
}

function number(bytes: number): Buffer {
  return Buffer.concat([Buffer.from([0]), Buffer.alloc(bytes, 0xa5)])
}

/** A point of the curve P-256. */
function point(): Buffer {
  const curve = createECDH('prime256v1')
  curve.setPrivateKey(Buffer.alloc(32, 1))
  return curve.getPublicKey()
}

function sshKey(type: string, parts: readonly Buffer[]): string {
  const blob = [Buffer.from(type), ...parts].map((part) => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(part.length)
    return Buffer.concat([length, part])
  })
  return `${type} ${Buffer.concat(blob).toString('base64')} test`
}
