import { isIP, type Socket } from 'node:net'
import { lookup } from 'node:dns'
import { promisify } from 'node:util'

import ipaddr from 'ipaddr.js'
import type { Agent, Dispatcher, RequestInit, Response } from 'undici'

const resolveAll = promisify(lookup)

/** What outgoing requests may reach. Read again for every request, so a changed setting holds at once. */
export interface OutboundPolicy {
  /** Loopback and private networks. */
  allowLocal: boolean
  /** Hosts, addresses or CIDR blocks that are allowed although they are local. */
  allowList: readonly string[]
}

/** The destination is one that outgoing requests may not reach. */
export class ForbiddenDestination extends Error {
  constructor(host: string) {
    super(`Requests to the local network are not allowed (${host}).`)
    this.name = 'ForbiddenDestination'
  }
}

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** The address that is really meant: IPv4 written as IPv6, in the mapped and in the long outdated compatible form. */
function meant(address: string): Address {
  const parsed = ipaddr.process(address)
  if (!(parsed instanceof ipaddr.IPv6)) return parsed
  const bytes = parsed.toByteArray()
  const isCompatible =
    bytes.slice(0, 12).every((byte) => byte === 0) && bytes.slice(12, 15).some((byte) => byte !== 0)
  return isCompatible ? new ipaddr.IPv4(bytes.slice(12)) : parsed
}

function inList(host: string, address: Address, list: readonly string[]): boolean {
  return list.some((entry) => {
    if (entry.toLowerCase() === host.toLowerCase()) return true
    if (ipaddr.isValid(entry)) return meant(entry).toNormalizedString() === address.toNormalizedString()
    if (!entry.includes('/') || !ipaddr.isValidCIDR(entry)) return false
    const [network, bits] = ipaddr.parseCIDR(entry)
    return network.kind() === address.kind() && address.match(network, bits)
  })
}

/**
 * True when an address may be contacted. Link-local (cloud metadata), unspecified and multicast addresses never are;
 * loopback and private ones as the policy says.
 */
export function isAllowed(host: string, address: string, policy: OutboundPolicy): boolean {
  if (!ipaddr.isValid(address)) return false
  const real = meant(address)
  const range = real.range()
  if (range === 'unicast') return true
  if (range === 'linkLocal' || range === 'unspecified' || range === 'multicast' || range === 'broadcast')
    return false
  return policy.allowLocal || inList(host, real, policy.allowList)
}

/** The only way out of the instance: one agent, whose connections are checked after name resolution. */
export class Outbound {
  readonly #policy: () => OutboundPolicy
  #agent: Promise<{ agent: Agent; fetch: typeof import('undici').fetch }> | undefined

  constructor(policy: () => OutboundPolicy) {
    this.#policy = policy
  }

  /**
   * `fetch` through the guard. Redirects pass through the same guard. Rejects with `ForbiddenDestination` (as the
   * `cause`) for an address that is not allowed, with a timeout error after `timeoutMs` (default 10 s).
   */
  async fetch(url: string, init: RequestInit & { timeoutMs?: number } = {}): Promise<Response> {
    const { protocol } = new URL(url)
    if (protocol !== 'http:' && protocol !== 'https:')
      throw new TypeError('Only http and https addresses can be requested.')
    const { agent, fetch } = await this.#open()
    const signal = init.signal ?? AbortSignal.timeout(init.timeoutMs ?? 10_000)
    return fetch(url, { ...init, signal, dispatcher: agent as Dispatcher })
  }

  /** Ends open connections. */
  async close(): Promise<void> {
    if (this.#agent) await (await this.#agent).agent.destroy()
  }

  #open() {
    // Loaded when first needed: most instances never send anything, and the client costs start time.
    this.#agent ??= import('undici').then(({ Agent, buildConnector, fetch }) => {
      const connector = buildConnector({ timeout: 10_000 })
      const agent = new Agent({
        // Every request connects anew, so that a connection from before a changed setting cannot be used again.
        pipelining: 0,
        connect: (options, callback) => {
          void this.addressOf(options.hostname).then(
            (address) => {
              const target = {
                ...options,
                hostname: address,
                servername: options.servername || (isIP(options.hostname) ? undefined : options.hostname),
              }
              connector(target as typeof options, (...result) => {
                const [error, socket] = result
                if (error) return callback(error, null)
                // The address that was really reached, whatever resolution said.
                const reached = (socket as Socket).remoteAddress
                if (reached && isAllowed(options.hostname, reached, this.#policy()))
                  return callback(null, socket)
                socket.destroy()
                callback(new ForbiddenDestination(options.hostname), null)
              })
            },
            (error: Error) => callback(error, null),
          )
        },
      })
      return { agent, fetch }
    })
    return this.#agent
  }

  /**
   * The address to connect to for a host name; every address the name resolves to must be allowed. For programs that
   * connect themselves and can be told the address (git). Throws `ForbiddenDestination`.
   */
  async addressOf(hostname: string): Promise<string> {
    const host = hostname.replace(/^\[|\]$/g, '')
    const addresses = isIP(host)
      ? [host]
      : (await resolveAll(host, { all: true })).map((entry) => entry.address)
    const policy = this.#policy()
    if (addresses.length === 0 || !addresses.every((address) => isAllowed(host, address, policy))) {
      throw new ForbiddenDestination(host)
    }
    return addresses[0]!
  }
}
