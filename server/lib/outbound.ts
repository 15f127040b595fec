import { connect, isIP, type Socket } from 'node:net'
import { lookup } from 'node:dns'
import { promisify } from 'node:util'

import ipaddr from 'ipaddr.js'
import type { Agent, Dispatcher, RequestInit, Response } from 'undici'

import { tlsOptionsFor, type OwnCertificate } from './net/own-certificate.ts'

const resolveAll = promisify(lookup)

/** Which addresses outgoing requests may reach. Read for every request, so that a changed setting applies at once. */
export interface OutboundPolicy {
  /** Loopback and private networks. */
  allowLocal: boolean
  /** Hosts, addresses or CIDR blocks, with a port or without, that are allowed although they are local. */
  allowList: readonly string[]
  /** Only the allow list may be reached, also for public addresses. */
  onlyList?: boolean
  /** Connect to the address that was checked, which prevents DNS rebinding. Default true. */
  pinsAddress?: boolean
}

/** Outgoing requests may not reach the destination. */
export class ForbiddenDestination extends Error {
  constructor(host: string) {
    super(`Requests to the local network are not allowed (${host}).`)
    this.name = 'ForbiddenDestination'
  }
}

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** The effective address: IPv4 inside IPv6 becomes IPv4. */
function effectiveAddress(address: string): Address {
  const parsed = ipaddr.process(address)
  if (!(parsed instanceof ipaddr.IPv6)) return parsed
  const bytes = parsed.toByteArray()
  const isCompatible =
    bytes.slice(0, 12).every((byte) => byte === 0) && bytes.slice(12, 15).some((byte) => byte !== 0)
  return isCompatible ? new ipaddr.IPv4(bytes.slice(12)) : parsed
}

const WITH_PORT = /^(\[[^\]]+\]|[^:]+):(\d+)$/

function inList({ host, port }: Destination, address: Address, list: readonly string[]): boolean {
  return list.some((text) => {
    const [, entryHost = text, entryPort] = WITH_PORT.exec(text) ?? []
    if (entryPort !== undefined && Number(entryPort) !== port) return false
    const entry = entryHost.replace(/^\[|\]$/g, '')
    if (entry.toLowerCase() === host.toLowerCase()) return true
    if (ipaddr.isValid(entry))
      return effectiveAddress(entry).toNormalizedString() === address.toNormalizedString()
    if (!entry.includes('/') || !ipaddr.isValidCIDR(entry)) return false
    const [network, bits] = ipaddr.parseCIDR(entry)
    return network.kind() === address.kind() && address.match(network, bits)
  })
}

/** A destination. Without a port, it does not match entries with a port. */
export interface Destination {
  readonly host: string
  readonly port?: number | undefined
}

/**
 * True if outgoing requests may reach an address. They never reach link-local (cloud metadata), unspecified and multicast
 * addresses. The policy decides about loopback and private addresses.
 */
export function isAllowed(to: string | Destination, address: string, policy: OutboundPolicy): boolean {
  if (!ipaddr.isValid(address)) return false
  const destination = typeof to === 'string' ? { host: to } : to
  const effective = effectiveAddress(address)
  const range = effective.range()
  if (range === 'linkLocal' || range === 'unspecified' || range === 'multicast' || range === 'broadcast')
    return false
  if (policy.onlyList) return inList(destination, effective, policy.allowList)
  return range === 'unicast' || policy.allowLocal || inList(destination, effective, policy.allowList)
}

/**
 * The purpose of a request. Some purposes have their own setting for the local network, and repositories may come from
 * the instance itself.
 */
export type Purpose = 'any' | 'system_hook' | 'mail' | 'repository'

/** Options of an outgoing request. */
export interface OutboundOptions {
  readonly purpose?: Purpose
  /** Accepts unverified certificates, for receivers with that setting. */
  readonly trustAnyCertificate?: boolean
}

const PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443, 'ssh:': 22, 'git:': 9418 }

/** The host and port of an address, in the form of a list entry. */
export function entryFor(url: string): string {
  const { hostname, port, protocol } = new URL(url)
  return `${hostname}:${port || PORTS[protocol]}`
}

type Client = Promise<{ agent: Agent; fetch: typeof import('undici').fetch }>

/** Sends all requests of the instance to other hosts. Connections are checked after name resolution. */
export class Outbound {
  readonly #policy: (purpose: Purpose) => OutboundPolicy
  readonly #certificate: OwnCertificate | undefined
  readonly #clients = new Map<string, Client>()

  constructor(policy: (purpose: Purpose) => OutboundPolicy, certificate?: OwnCertificate) {
    this.#policy = policy
    this.#certificate = certificate
  }

  /**
   * Like `fetch`, but only for allowed addresses, also after redirects. Rejects with `ForbiddenDestination` (as the
   * `cause`) for an address that is not allowed, with a timeout error after `timeoutMs` (default 10 s).
   */
  async fetch(
    url: string,
    init: RequestInit & OutboundOptions & { timeoutMs?: number } = {},
  ): Promise<Response> {
    const { protocol } = new URL(url)
    if (protocol !== 'http:' && protocol !== 'https:')
      throw new TypeError('Only http and https addresses can be requested.')
    const { purpose, trustAnyCertificate, timeoutMs, ...rest } = init
    const { agent, fetch } = await this.#clientFor(purpose ?? 'any', trustAnyCertificate ?? false)
    const signal = init.signal ?? AbortSignal.timeout(timeoutMs ?? 10_000)
    return fetch(url, { ...rest, signal, dispatcher: agent as Dispatcher })
  }

  /**
   * A plain connection to a host, for protocols other than HTTP. Rejects with `ForbiddenDestination` for an address
   * that is not allowed, and with an error after `timeoutMs` (default 10 s).
   */
  async connect(
    host: string,
    port: number,
    { purpose = 'any', timeoutMs = 10_000 }: { purpose?: Purpose; timeoutMs?: number } = {},
  ): Promise<Socket> {
    const address = await this.addressOf(host, purpose, port)
    return new Promise((resolve, reject) => {
      const socket = connect({ host: address, port, timeout: timeoutMs })
      socket
        .once('connect', () => resolve(socket.setTimeout(0)))
        .once('timeout', () => socket.destroy(new Error(`${host} did not answer in time.`)))
        .once('error', reject)
    })
  }

  /** Ends open connections. */
  async close(): Promise<void> {
    for (const client of this.#clients.values()) await (await client).agent.destroy()
  }

  #clientFor(purpose: Purpose, trustAnyCertificate: boolean): Client {
    const key = `${purpose} ${trustAnyCertificate}`
    const client = this.#clients.get(key) ?? this.#open(purpose, trustAnyCertificate)
    this.#clients.set(key, client)
    return client
  }

  #open(purpose: Purpose, trustAnyCertificate: boolean): Client {
    // Loaded on first use, because most instances never send anything.
    return import('undici').then(({ Agent, buildConnector, fetch }) => {
      const fallback = buildConnector({ timeout: 10_000, rejectUnauthorized: !trustAnyCertificate })
      // The own certificate may be replaced, so it is read for every connection.
      const connectorFor = (origin: string) =>
        this.#certificate?.origins.includes(origin)
          ? buildConnector({ timeout: 10_000, ...tlsOptionsFor(this.#certificate.pem) })
          : fallback
      const agent = new Agent({
        // Every request opens a new connection, so that a changed setting applies.
        pipelining: 0,
        connect: (options, callback) => {
          const port = Number(options.port) || PORTS[options.protocol]
          const to = { host: options.hostname.replace(/^\[|\]$/g, ''), port }
          void this.addressOf(options.hostname, purpose, port).then(
            (address) => {
              const isPinned = this.#policy(purpose).pinsAddress !== false
              const target = {
                ...options,
                hostname: isPinned ? address : options.hostname,
                servername: options.servername || (isIP(options.hostname) ? undefined : options.hostname),
              }
              const connector = connectorFor(new URL(`${options.protocol}//${options.host}`).origin)
              connector(target as typeof options, (...result) => {
                const [error, socket] = result
                if (error) return callback(error, null)
                // The address to which the socket is connected.
                const { remoteAddress } = socket as Socket
                if (!isPinned || (remoteAddress && isAllowed(to, remoteAddress, this.#policy(purpose))))
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
  }

  /** Like `addressOf`, for the host of a URL with any scheme. */
  addressOfUrl(url: string, purpose: Purpose = 'any'): Promise<string> {
    const { hostname, port, protocol } = new URL(url)
    return this.addressOf(hostname, purpose, Number(port) || PORTS[protocol])
  }

  /**
   * Resolves a host name to the address to connect to; every address of the name must be allowed. It is for
   * programs that open the connection themselves, such as git. Throws `ForbiddenDestination`.
   */
  async addressOf(hostname: string, purpose: Purpose = 'any', port?: number): Promise<string> {
    const host = hostname.replace(/^\[|\]$/g, '')
    const addresses = isIP(host)
      ? [host]
      : (await resolveAll(host, { all: true })).map((entry) => entry.address)
    const policy = this.#policy(purpose)
    if (addresses.length === 0 || !addresses.every((address) => isAllowed({ host, port }, address, policy))) {
      throw new ForbiddenDestination(host)
    }
    return addresses[0]!
  }
}
