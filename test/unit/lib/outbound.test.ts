import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import {
  ForbiddenDestination,
  isAllowed,
  Outbound,
  type OutboundPolicy,
} from '../../../server/lib/outbound.ts'

const CLOSED: OutboundPolicy = { allowLocal: false, allowList: [] }
const OPEN: OutboundPolicy = { allowLocal: true, allowList: [] }

let sink: Server
let port: number
let hits: string[] = []

const answer: RequestListener = (req, res) => {
  hits.push(req.url ?? '')
  const to = new URL(req.url ?? '/', 'http://sink').searchParams.get('to')
  if (to) res.writeHead(302, { location: to }).end()
  else if (req.url === '/hang') return
  else res.end('reached')
}

beforeAll(async () => {
  sink = createServer(answer)
  await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve))
  port = (sink.address() as AddressInfo).port
})

afterAll(() => {
  sink.closeAllConnections()
  sink.close()
})

function outbound(policy: OutboundPolicy): Outbound {
  hits = []
  const agent = new Outbound(() => policy)
  onTestFinished(() => agent.close())
  return agent
}

/** `reached`, `forbidden`, or another error. */
async function outcome(outbound: Outbound, url: string, timeoutMs = 3000): Promise<string> {
  try {
    return await (await outbound.fetch(url, { timeoutMs })).text()
  } catch (error) {
    const { cause } = error as Error
    return cause instanceof ForbiddenDestination ? 'forbidden' : (error as Error).name
  }
}

describe('addresses', () => {
  it.each([
    '127.0.0.1',
    '127.255.255.254',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '100.64.0.1',
    '192.0.0.1',
    '198.18.0.1',
    '240.0.0.1',
    '::1',
    'fc00::1',
    'fd12:3456::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:10.0.0.1',
    '::127.0.0.1',
    '::a00:1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '2001:0:7f00:1::',
  ])('of this machine or its network are closed unless the policy opens them: %s', (address) => {
    expect(isAllowed(address, address, CLOSED)).toBe(false)
    expect(isAllowed(address, address, OPEN)).toBe(true)
  })

  it.each([
    '0.0.0.0',
    '::',
    '169.254.169.254',
    'fe80::1',
    '::ffff:169.254.169.254',
    '::ffff:0.0.0.0',
    '224.0.0.1',
    'ff02::1',
    '255.255.255.255',
  ])('of reserved ranges are never open: %s', (address) => {
    expect(isAllowed(address, address, OPEN)).toBe(false)
    expect(isAllowed(address, address, { allowLocal: false, allowList: [address] })).toBe(false)
  })

  it.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '2606:4700:4700::1111', '::ffff:8.8.8.8'])(
    'of the internet are open: %s',
    (address) => {
      expect(isAllowed('example.com', address, CLOSED)).toBe(true)
    },
  )

  it.each(['', 'localhost', '1.2.3.400', '::1::', 'nonsense', '1.2.3.4.5'])(
    'that are invalid are closed: %j',
    (text) => {
      expect(isAllowed(text, text, OPEN)).toBe(false)
    },
  )

  it('are the same in every spelling of an embedded IPv4 address', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        for (const policy of [CLOSED, OPEN])
          expect(isAllowed('h', `::ffff:${address}`, policy)).toBe(isAllowed('h', address, policy))
      }),
    )
  })
})

describe('the allowlist', () => {
  const listed = (...allowList: string[]): OutboundPolicy => ({ allowLocal: false, allowList })
  it.each([
    ['192.168.1.7', '192.168.1.7', true],
    ['192.168.1.0/24', '192.168.1.7', true],
    ['192.168.2.0/24', '192.168.1.7', false],
    ['intranet.example', '192.168.1.7', true],
    ['INTRANET.example', '192.168.1.7', true],
    ['other.example', '192.168.1.7', false],
    ['fd00::/8', 'fd12::1', true],
    ['fd00::/8', '192.168.1.7', false],
    ['0:0:0:0:0:0:0:1', '::1', true],
    ['127.0.0.1', '::ffff:127.0.0.1', true],
    ['192.168.1.0/99', '192.168.1.7', false],
    ['/', '192.168.1.7', false],
    ['', '192.168.1.7', false],
  ])('%j opens %s: %s', (entry, address, expected) => {
    expect(isAllowed('intranet.example', address, listed(entry))).toBe(expected)
  })
})

describe('requests', () => {
  it.each([
    'http://127.0.0.1',
    'http://localhost',
    'http://LOCALHOST',
    'http://localhost.',
    'http://127.1',
    'http://2130706433',
    'http://0x7f000001',
    'http://0177.0.0.1',
    'http://0x7f.0.0x0.1',
    'http://[::ffff:127.0.0.1]',
    'http://[::ffff:7f00:1]',
    'http://[0:0:0:0:0:ffff:127.0.0.1]',
    'http://0.0.0.0',
    'http://0',
    'http://[::]',
    'http://[::1]',
    'http://user:password@127.0.0.1',
    'http://127.0.0.1%2e',
    'http://①②⑦.0.0.1',
  ])('do not reach this machine as %s', async (host) => {
    const result = await outcome(outbound(CLOSED), `${host}:${port}/`)
    expect(result).not.toBe('reached')
    expect(hits).toEqual([])
  })

  it('reach a local address if the policy allows it', async () => {
    expect(await outcome(outbound(OPEN), `http://127.0.0.1:${port}/`)).toBe('reached')
    expect(await outcome(outbound(OPEN), `http://localhost:${port}/`)).toBe('reached')
    expect(
      await outcome(outbound({ allowLocal: false, allowList: ['127.0.0.1'] }), `http://127.0.0.1:${port}/`),
    ).toBe('reached')
  })

  it('fail with the reason', async () => {
    const failure = outbound(CLOSED).fetch(`http://localhost:${port}/`)
    await expect(failure).rejects.toMatchObject({
      cause: { message: 'Requests to the local network are not allowed (localhost).' },
    })
  })

  it('do not follow a redirect to a forbidden address', async () => {
    const agent = outbound({ allowLocal: false, allowList: ['127.0.0.1'] })
    for (const to of [
      `http://[::1]:${port}/inside`,
      `http://127.0.0.2:${port}/inside`,
      'http://169.254.169.254/',
    ])
      expect(await outcome(agent, `http://127.0.0.1:${port}/?to=${encodeURIComponent(to)}`)).toBe('forbidden')
    expect(hits.filter((url) => url === '/inside')).toEqual([])
  })

  it('follow a redirect to an open address', async () => {
    const agent = outbound(OPEN)
    expect(
      await outcome(
        agent,
        `http://127.0.0.1:${port}/?to=${encodeURIComponent(`http://localhost:${port}/next`)}`,
      ),
    ).toBe('reached')
    expect(hits).toContain('/next')
  })

  it('follow a changed policy at once, even with an open connection', async () => {
    const policy = { allowLocal: true, allowList: [] as string[] }
    const agent = outbound(policy)
    for (let time = 0; time < 3; time++)
      expect(await outcome(agent, `http://127.0.0.1:${port}/`)).toBe('reached')
    policy.allowLocal = false
    expect(await outcome(agent, `http://127.0.0.1:${port}/`)).toBe('forbidden')
  })

  it.each([
    'file:///etc/passwd',
    'ftp://127.0.0.1/',
    'data:text/plain,x',
    'gopher://127.0.0.1/',
    'javascript:1',
  ])('are for http and https only, not %s', async (url) => {
    await expect(outbound(OPEN).fetch(url)).rejects.toThrow('Only http and https addresses can be requested.')
  })

  it('time out if the server hangs', async () => {
    expect(await outcome(outbound(OPEN), `http://127.0.0.1:${port}/hang`, 100)).toBe('TimeoutError')
  })
})
