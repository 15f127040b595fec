import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { scratch, type Scratch } from '../../support/server-process.ts'
import { startServer, type Instance } from '../../../server/index.ts'
import { prepareDataDir } from '../../support/empty-database.ts'

const PASSWORD = 'a long enough password'
const TOKEN = 'token-behind-the-proxy'
const OUTSIDE = 'https://forge.example.com'
let here: Scratch
let instance: Instance
let own: string

const start = (name: string, more: object) => {
  prepareDataDir(here.path(name))
  return startServer({
    dataDir: here.path(name),
    port: 0,
    rootPassword: PASSWORD,
    rootToken: TOKEN,
    temporary: true,
    strict: true,
    logLevel: 'silent',
    hashCost: { ln: 4, p: 1 },
    ...more,
  })
}

beforeAll(async () => {
  here = scratch()
  instance = await start('trusting', { url: OUTSIDE, trustedProxies: ['127.0.0.0/8', '192.0.2.7'] })
  own = instance.context().config.ownUrl
})
afterAll(async () => {
  await instance.close()
  await here.clear()
})

/** The headers that proxies add to a request. */
const forwarded = {
  'x-forwarded-for': '203.0.113.9, 198.51.100.4, 192.0.2.7',
  'x-forwarded-proto': 'https',
  'x-forwarded-host': 'forge.example.com',
}

function signIn(url: string, headers: Record<string, string>): Promise<Response> {
  const body = JSON.stringify({ login: 'root', password: PASSWORD })
  return fetch(`${url}/-/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  })
}

const lastAddress = ({ context }: Instance) =>
  context().db.one<{ ip: string }>('SELECT ip FROM sessions ORDER BY id DESC LIMIT 1')?.ip

describe('behind a trusted proxy', () => {
  it('uses the address of the client, and treats the connection as secure', async () => {
    const answer = await signIn(own, forwarded)
    expect(answer.status).toBe(201)
    expect(answer.headers.get('strict-transport-security')).toBe('max-age=31536000')
    expect(answer.headers.getSetCookie()[0]).toMatch(/; Secure$/)
    // The last address that is not a trusted proxy counts. A client may have invented the addresses before it.
    expect(lastAddress(instance)).toBe('198.51.100.4')
  })

  it('uses the public address in responses', async () => {
    expect(instance.url).toBe(OUTSIDE)
    const headers = { 'private-token': TOKEN, 'content-type': 'application/json', ...forwarded }
    const init = { method: 'POST', headers, body: '{"name":"Kept"}' }
    const project = (await (await fetch(`${own}/api/v4/projects`, init)).json()) as Record<string, string>
    expect([project['web_url'], project['http_url_to_repo']]).toEqual([
      `${OUTSIDE}/root/kept`,
      `${OUTSIDE}/root/kept.git`,
    ])
  })

  it('refuses another host, even from the proxy', async () => {
    const answer = await signIn(own, { ...forwarded, 'x-forwarded-host': 'evil.example' })
    expect(answer.status).toBe(403)
  })

  it('sends no HSTS header to a loopback name, because it would apply to other ports too', async () => {
    const answer = await signIn(own, { ...forwarded, 'x-forwarded-host': 'localhost:7080' })
    expect([answer.status, answer.headers.get('strict-transport-security')]).toEqual([201, null])
  })

  it('ignores an empty list of addresses', async () => {
    await signIn(own, { ...forwarded, 'x-forwarded-for': 'unknown' })
    expect(lastAddress(instance)).toMatch(/127\.0\.0\.1$/)
  })
})

describe('without a trusted proxy', () => {
  it('ignores forwarded headers', async () => {
    const plain = await start('plain', {})
    try {
      const answer = await signIn(plain.url, { ...forwarded, 'x-forwarded-host': '127.0.0.1' })
      expect([answer.status, answer.headers.get('strict-transport-security')]).toEqual([201, null])
      expect(answer.headers.getSetCookie()[0]).not.toContain('Secure')
      expect(lastAddress(plain)).toMatch(/127\.0\.0\.1$/)
    } finally {
      await plain.close()
    }
  })

  it('does not start with an invalid range or address', async () => {
    await expect(start('wrong', { trustedProxies: ['10.0.0.0/33'] })).rejects.toThrow(
      '"10.0.0.0/33" is neither the address of a proxy nor a range such as 10.0.0.0/8.',
    )
    await expect(start('wrong', { url: 'forge.example.com' })).rejects.toThrow(
      'The address must be like https://forge.example.com, not "forge.example.com".',
    )
  })
})
