import { request } from 'node:http'
import { text } from 'node:stream/consumers'

import { beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { frozenClock } from '../../../server/lib/clock.ts'
import { world, type TestUser, type World } from '../../support/world.ts'

const clock = frozenClock('2026-03-01T12:00:00.000Z')
let w: World

beforeAll(async () => {
  w = await world({ clock })
})
beforeEach(() => clock.advance(3_600_000))

interface ReceivedAnswer {
  readonly status: number
  readonly text: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/** Sends a request from a loopback address. */
async function from(
  localAddress: string,
  path: string,
  {
    method = 'GET',
    body,
    headers = {},
  }: { method?: string; body?: object; headers?: Record<string, string> } = {},
): Promise<ReceivedAnswer> {
  const { port } = new URL(w.url)
  const sent = request({
    host: '127.0.0.1',
    port,
    path,
    method,
    localAddress,
    headers: {
      host: `127.0.0.1:${port}`,
      ...(body ? { 'content-type': 'application/json' } : {}),
      ...headers,
    },
  })
  sent.end(body && JSON.stringify(body))
  const [answer] = (await new Promise((resolve, reject) =>
    sent.once('response', (...args) => resolve(args)).once('error', reject),
  )) as [import('node:http').IncomingMessage]
  return { status: answer.statusCode!, text: await text(answer), headers: answer.headers }
}

const enter = (address: string, login: string, password: string) =>
  from(address, '/-/session', { method: 'POST', body: { login, password } })
const basic = (login: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`,
})
const git = (address: string, login: string, password: string) =>
  from(address, '/root/none.git/info/refs?service=git-upload-pack', { headers: basic(login, password) })

/** A user with the password of root. */
function person(): TestUser {
  const user = w.make.user()
  const sql = 'UPDATE users SET password_hash = (SELECT password_hash FROM users WHERE id = 1) WHERE id = ?'
  w.ctx().db.exec(sql, user.id)
  return { ...user, password: w.root.password }
}

describe('guessing passwords', () => {
  it('locks the account for the guessing address, but not for its owner', async () => {
    const user = person()
    for (let count = 0; count < 10; count++)
      expect((await enter('127.0.0.2', user.username, `wrong ${count}`)).status).toBe(401)
    clock.advance(60_000)
    expect((await enter('127.0.0.2', user.username, user.password)).status).toBe(401)
    expect((await git('127.0.0.2', user.username, user.password)).status).toBe(401)
    expect((await enter('127.0.0.3', user.username, user.password)).status).toBe(201)
    // The sign-in succeeds, but the repository does not exist.
    expect((await git('127.0.0.3', user.username, user.password)).status).toBe(404)
  })

  it('over git is counted together with sign-ins', async () => {
    const user = person()
    for (let count = 0; count < 10; count++)
      expect((await git('127.0.0.4', `nobody${count}`, 'wrong')).status).toBe(401)
    const refused = await git('127.0.0.4', user.username, user.password)
    expect([refused.status, refused.text, refused.headers['retry-after']]).toEqual([
      429,
      'Retry later\n',
      '60',
    ])
    expect(refused.headers['content-type']).toBe('text/plain; charset=utf-8')
    expect((await enter('127.0.0.4', user.username, user.password)).status).toBe(429)
    const files = await from('127.0.0.4', '/root/none.git/info/lfs/objects/batch', {
      method: 'POST',
      body: { operation: 'download', objects: [] },
      headers: { ...basic(user.username, user.password), 'content-type': 'application/vnd.git-lfs+json' },
    })
    expect(files.status).toBe(429)
    // Tokens remain valid, and other addresses are not blocked.
    expect((await git('127.0.0.4', user.username, user.token)).status).toBe(404)
    expect((await enter('127.0.0.5', user.username, user.password)).status).toBe(201)
    clock.advance(60_000)
    expect((await git('127.0.0.4', user.username, user.password)).status).toBe(404)
  })

  it('does not include repeating the same old password', async () => {
    const user = person()
    for (let count = 0; count < 30; count++)
      expect((await git('127.0.0.6', user.username, 'the old one')).status).toBe(401)
    for (let count = 0; count < 30; count++)
      expect((await git('127.0.0.6', 'nobody', 'the old one')).status).toBe(401)
    expect((await git('127.0.0.6', user.username, user.password)).status).toBe(404)
    expect((await enter('127.0.0.6', user.username, user.password)).status).toBe(201)
  })
})

describe('guessing tokens', () => {
  const token = (address: string, shown: string) =>
    from(address, '/api/v4/version', { headers: { 'private-token': shown } })
  /** Sends the maximum number of different wrong tokens from an address. */
  const spend = async (address: string) => {
    for (let count = 0; count < 30; count++)
      expect((await token(address, `glpat-guess-${count}`)).status).toBe(401)
  }

  it('blocks an address with too many different ones; valid tokens still work', async () => {
    await spend('127.0.1.1')
    const refused = await token('127.0.1.1', 'glpat-one-more')
    expect([refused.status, refused.text]).toEqual([429, 'Retry later\n'])
    expect(refused.headers).toMatchObject({
      'retry-after': '60',
      'ratelimit-name': 'throttle_wrong_credentials',
      'ratelimit-limit': '30',
      'content-type': 'text/plain; charset=utf-8',
    })
    expect((await token('127.0.1.1', w.root.token)).status).toBe(200)
    expect((await token('127.0.1.1', 'glpat-guess-1')).status).toBe(401)
    expect((await token('127.0.1.2', 'glpat-one-more')).status).toBe(401)
    clock.advance(60_000)
    expect((await token('127.0.1.1', 'glpat-one-more')).status).toBe(401)
  })

  it('does not include repeating the same old token', async () => {
    for (let count = 0; count < 60; count++)
      expect((await token('127.0.1.3', 'glpat-the-old-one')).status).toBe(401)
    expect((await token('127.0.1.3', 'glpat-another')).status).toBe(401)
  })

  it('is counted together for all ways to send a token', async () => {
    const group = await w.make.group()
    const project = await w.make.project({ namespace_id: group.id })
    const connection = await w.as(w.root).post(`/-/groups/${group.id}/scim/connection`)
    expect(connection.status).toBe(201)
    const at = `/api/v4/projects/${project.id}`
    const post = (path: string, body: object, method = 'POST') => ({ path, method, body })
    const ways: Record<
      string,
      { path: string; method?: string; body?: object; headers?: Record<string, string> }
    > = {
      'a header': { path: '/api/v4/version', headers: { 'private-token': 'wrong a' } },
      'a query': { path: '/api/v4/version?private_token=wrong-b' },
      bearer: { path: '/api/v4/version', headers: { authorization: 'Bearer wrong-c' } },
      'the token of a job': { path: '/api/v4/job', headers: { 'job-token': 'wrong d' } },
      'a page': {
        path: `/${project.path_with_namespace}/-/raw/main/a`,
        headers: { 'private-token': 'wrong e' },
      },
      'git in the name of a job': {
        path: '/a/b.git/info/refs?service=git-upload-pack',
        headers: basic('gitlab-ci-token', 'wrong f'),
      },
      'a runner that asks': post('/api/v4/jobs/request', { token: 'wrong g' }),
      'a runner that registers': post('/api/v4/runners', { token: 'wrong h' }),
      'a runner that is asked about': post('/api/v4/runners/verify', { token: 'wrong i' }),
      'a runner with a job': post('/api/v4/jobs/1', { token: 'wrong j', state: 'success' }, 'PUT'),
      'a runner with artifacts': { path: '/api/v4/jobs/1/artifacts', headers: { 'job-token': 'wrong k' } },
      'a trigger': post(`${at}/trigger/pipeline`, { token: 'wrong l', ref: 'main' }),
      'feature flags': {
        path: `/api/v4/feature_flags/unleash/${project.id}`,
        headers: { 'unleash-instanceid': 'wrong m' },
      },
      'an identity provider': {
        path: `${new URL(connection.body.endpoint).pathname}/Users`,
        headers: { authorization: 'Bearer wrong-n' },
      },
      'an application that asks about it': {
        path: '/oauth/token/info',
        headers: { authorization: 'Bearer wrong-o' },
      },
      'a chat': post(`${at}/integrations/mattermost_slash_commands/trigger`, { token: 'wrong p' }),
    }
    const statuses = async (address: string) => {
      const statuses: Record<string, number> = {}
      for (const [name, { path, ...more }] of Object.entries(ways))
        statuses[name] = (await from(address, path, more)).status
      return statuses
    }
    const before = await statuses('127.0.1.4')
    expect(Object.entries(before).filter(([, status]) => status < 400 || status >= 429)).toEqual([])
    await spend('127.0.1.5')
    const after = await statuses('127.0.1.5')
    expect(Object.entries(after).filter(([, status]) => status !== 429)).toEqual([])
  })

  it('is allowed if the throttle of sign-ins is disabled', async () => {
    const numbers = {
      throttle_protected_paths_requests_per_period: 10,
      throttle_protected_paths_period_in_seconds: 60,
    }
    const set = (throttle_protected_paths_enabled: boolean) =>
      w.as(w.root).put('/application/settings', { throttle_protected_paths_enabled, ...numbers })
    expect((await set(false)).status).toBe(200)
    for (let count = 0; count < 40; count++)
      expect((await token('127.0.1.6', `glpat-other-${count}`)).status).toBe(401)
    expect((await set(true)).status).toBe(200)
  })
})
