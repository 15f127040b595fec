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

interface Got {
  readonly status: number
  readonly text: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/** One request from an address of this machine, all of which are loopback. */
async function from(
  localAddress: string,
  path: string,
  {
    method = 'GET',
    body,
    headers = {},
  }: { method?: string; body?: object; headers?: Record<string, string> } = {},
): Promise<Got> {
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
    sent.once('response', (...got) => resolve(got)).once('error', reject),
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

/** Somebody with the password of root. */
function person(): TestUser {
  const user = w.make.user()
  const sql = 'UPDATE users SET password_hash = (SELECT password_hash FROM users WHERE id = 1) WHERE id = ?'
  w.ctx().db.exec(sql, user.id)
  return { ...user, password: w.root.password }
}

describe('guessing at passwords', () => {
  it('locks the account for the address that guesses, and leaves its owner alone', async () => {
    const user = person()
    for (let count = 0; count < 10; count++)
      expect((await enter('127.0.0.2', user.username, `wrong ${count}`)).status).toBe(401)
    clock.advance(60_000)
    expect((await enter('127.0.0.2', user.username, user.password)).status).toBe(401)
    expect((await git('127.0.0.2', user.username, user.password)).status).toBe(401)
    expect((await enter('127.0.0.3', user.username, user.password)).status).toBe(201)
    // Signed in, but there is no such repository.
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
    // Tokens hold all the while, and so does everything from elsewhere.
    expect((await git('127.0.0.4', user.username, user.token)).status).toBe(404)
    expect((await enter('127.0.0.5', user.username, user.password)).status).toBe(201)
    clock.advance(60_000)
    expect((await git('127.0.0.4', user.username, user.password)).status).toBe(404)
  })

  it('is not what a program does that goes on with an old password', async () => {
    const user = person()
    for (let count = 0; count < 30; count++)
      expect((await git('127.0.0.6', user.username, 'the old one')).status).toBe(401)
    for (let count = 0; count < 30; count++)
      expect((await git('127.0.0.6', 'nobody', 'the old one')).status).toBe(401)
    expect((await git('127.0.0.6', user.username, user.password)).status).toBe(404)
    expect((await enter('127.0.0.6', user.username, user.password)).status).toBe(201)
  })
})
