import { isIP } from 'node:net'
import { totalmem } from 'node:os'
import { value } from '../args.ts'
import type { Arg } from '../args.ts'
import type { Config } from '../process/run.ts'
import { FETCH_CHECKS } from './transfer-config.ts'

/** How a program that connects over SSH is told to; made by ssh-way.ts. */
export interface SshWay {
  /** What git is to find in its environment. */
  readonly env: Readonly<Record<string, string>>
}

/** A repository elsewhere, together with the address that git has to connect to. */
export interface Remote {
  /** Without password, and for http and https without user name; http, https, git or ssh. */
  readonly url: string
  /** The address to connect to, as the guard of outgoing requests resolved it. */
  readonly address: string
  /** Value of an `Authorization` header; http and https only. */
  readonly authorization?: string | undefined
  /** Only for ssh, and needed there. */
  readonly ssh?: SshWay | undefined
}

/** Others run programs or read files of this machine. */
const PROTOCOLS = new Set(['http', 'https', 'git', 'ssh'])

/**
 * What git is told for every command that goes to a remote: nothing but its own protocol is spoken, and what the guard
 * let pass is what is contacted: no second look-up, no redirect, no proxy.
 */
export function remoteConfig(remote: Remote): Config {
  const { protocol } = new URL(remote.url)
  const own = protocol.slice(0, -1)
  return [
    ['protocol.allow', 'never'],
    ...(PROTOCOLS.has(own) ? [[`protocol.${own}.allow`, 'always'] as const] : []),
    ...(own === 'http' || own === 'https' ? webConfig(remote) : []),
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

/** The remote as git's argument. Git's own protocol has no other way to fix the address than to name it. */
export function remoteArg({ url, address }: Remote): Arg {
  const parsed = new URL(url)
  if (parsed.protocol !== 'git:') return value(url)
  const port = parsed.port === '' ? '' : `:${parsed.port}`
  return value(`git://${bracketed(address)}${port}${parsed.pathname}`)
}

const GIB = 1024 ** 3
/** Git keeps all of what a remote says about its refs in memory, and a hostile one never stops. */
const MEMORY_BYTES = Math.min(4 * GIB, Math.max(GIB, totalmem() / 4))

/** Options of a command that goes to a remote: its place, configuration, environment and bounds. */
export function remoteOptions(remote: Remote) {
  return {
    place: 'transfer',
    group: true,
    memoryBytes: MEMORY_BYTES,
    config: remoteConfig(remote),
    env: remote.ssh?.env ?? {},
  } as const
}
