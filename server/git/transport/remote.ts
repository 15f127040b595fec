import { isIP } from 'node:net'
import { totalmem } from 'node:os'
import { value, git } from '../args.ts'
import type { Arg } from '../args.ts'
import { type Config, run } from '../process/run.ts'
import { FETCH_CHECKS } from './transfer-config.ts'
import { isObjectId, isRefName } from '../names.ts'
import type { Repo } from '../types.ts'

/** The settings of a connection over SSH, from ssh-setup.ts. */
export interface SshSetup {
  /** Environment variables for git. */
  readonly env: Readonly<Record<string, string>>
}

/** A remote repository and the address to connect to. */
export interface Remote {
  /** The URL (http, https, git or ssh), without a password, and for http and https without a user name. */
  readonly url: string
  /** The address to connect to, as the guard of outgoing requests resolved it. */
  readonly address: string
  /** Value of an `Authorization` header; http and https only. */
  readonly authorization?: string | undefined
  /** The settings of SSH; required for ssh, missing otherwise. */
  readonly ssh?: SshSetup | undefined
}

/** The allowed protocols. Others run programs or read files of this machine. */
const PROTOCOLS = new Set(['http', 'https', 'git', 'ssh'])

/**
 * The git configuration of every command that contacts a remote. It allows only the protocol of the URL and only the
 * address that the guard of outgoing requests permitted, without a second look-up, redirects and proxies.
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
  const hostAndPort = `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`
  const isName = isIP(hostname.replace(/^\[|\]$/g, '')) === 0
  return [
    ...(isName ? [['http.curloptResolve', `${hostAndPort}:${bracketed(address)}`] as const] : []),
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

/** The remote as an argument of git. With the git protocol, git has no other way to set the address. */
export function remoteArg({ url, address }: Remote): Arg {
  const parsed = new URL(url)
  if (parsed.protocol !== 'git:') return value(url)
  const port = parsed.port === '' ? '' : `:${parsed.port}`
  return value(`git://${bracketed(address)}${port}${parsed.pathname}`)
}

const GIB = 1024 ** 3
/** The memory limit of git, which holds the remote's list of refs in memory. A hostile remote can send an endless list. */
const MEMORY_BYTES = Math.min(4 * GIB, Math.max(GIB, totalmem() / 4))

/** The options of a command that contacts a remote. */
export function remoteOptions(remote: Remote) {
  return {
    pool: 'transfer',
    group: true,
    memoryBytes: MEMORY_BYTES,
    config: remoteConfig(remote),
    env: remote.ssh?.env ?? {},
  } as const
}

/** The time limit for listing the remote's refs, in milliseconds. */
const LIMIT_MS = 10 * 60_000

/** The object ids of a remote repository's branches and tags, by full name. Throws GitError. */
export async function remoteRefs(
  repo: Repo,
  remote: Remote,
  limits: { timeoutMs: number; signal?: AbortSignal | undefined },
): Promise<Map<string, string>> {
  const args = git`ls-remote --quiet --heads --tags --refs ${remoteArg(remote)}`
  const timeoutMs = Math.min(LIMIT_MS, limits.timeoutMs)
  const options = { ...remoteOptions(remote), signal: limits.signal, timeoutMs }
  const { stdout } = await run(repo, 'mirror.list', args, options)
  const lines = stdout.toString('utf8').split('\n')
  const pairs = lines.map((line) => line.split('\t') as [string, string?])
  return new Map(
    pairs.flatMap(([oid, ref]) =>
      ref !== undefined && isObjectId(oid) && isRefName(ref) ? [[ref, oid] as const] : [],
    ),
  )
}
