import { isIP } from 'node:net'
import { totalmem } from 'node:os'
import { value } from '../args.ts'
import type { Arg } from '../args.ts'
import type { Config } from '../process/run.ts'
import { FETCH_CHECKS } from './transfer-config.ts'

/** Settings of a connection over SSH; created by ssh-setup.ts. */
export interface SshSetup {
  /** Environment variables for git. */
  readonly env: Readonly<Record<string, string>>
}

/** A remote repository and the address to connect to. */
export interface Remote {
  /** Without password, and for http and https without user name; http, https, git or ssh. */
  readonly url: string
  /** The address to connect to, as the guard of outgoing requests resolved it. */
  readonly address: string
  /** Value of an `Authorization` header; http and https only. */
  readonly authorization?: string | undefined
  /** Only for ssh, and needed there. */
  readonly ssh?: SshSetup | undefined
}

/** Other protocols run programs or read files of this machine. */
const PROTOCOLS = new Set(['http', 'https', 'git', 'ssh'])

/**
 * Git settings of every command that contacts a remote: only the protocol of its URL, and only the address that the
 * guard of outgoing requests permitted: no second look-up, no redirect, no proxy.
 */
export function remoteConfig(remote: Remote): Config {
  const { protocol } = new URL(remote.url)
  const scheme = protocol.slice(0, -1)
  return [
    ['protocol.allow', 'never'],
    ...(PROTOCOLS.has(scheme) ? [[`protocol.${scheme}.allow`, 'always'] as const] : []),
    ...(scheme === 'http' || scheme === 'https' ? webConfig(remote) : []),
    ...FETCH_CHECKS,
  ]
}

function webConfig({ url, address, authorization }: Remote): Config {
  const { hostname, port, protocol } = new URL(url)
  const at = `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`
  const isName = isIP(hostname.replace(/^\[|\]$/g, '')) === 0
  return [
    ...(isName ? [['http.curloptResolve', `${at}:${bracketed(address)}`] as const] : []),
    ['http.followRedirects', 'false'],
    ['http.proxy', ''],
    ['http.lowSpeedLimit', '1000'],
    ['http.lowSpeedTime', '60'],
    ...(authorization ? [['http.extraHeader', `Authorization: ${authorization}`] as const] : []),
  ]
}

function bracketed(address: string): string {
  return address.includes(':') ? `[${address}]` : address
}

/** The remote as git's argument. For the git protocol, naming the address is the only way to fix it. */
export function remoteArg({ url, address }: Remote): Arg {
  const parsed = new URL(url)
  if (parsed.protocol !== 'git:') return value(url)
  const port = parsed.port === '' ? '' : `:${parsed.port}`
  return value(`git://${bracketed(address)}${port}${parsed.pathname}`)
}

const GIB = 1024 ** 3
/** Git holds the remote's list of refs in memory, and a hostile remote can send one without end. */
const MEMORY_BYTES = Math.min(4 * GIB, Math.max(GIB, totalmem() / 4))

/** Options of a command that contacts a remote. */
export function remoteOptions(remote: Remote) {
  return {
    pool: 'transfer',
    group: true,
    memoryBytes: MEMORY_BYTES,
    config: remoteConfig(remote),
    env: remote.ssh?.env ?? {},
  } as const
}
