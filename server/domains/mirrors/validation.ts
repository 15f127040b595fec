import { isIP } from 'node:net'

import type { Ctx } from '../../ctx.ts'
import { invalid } from '../../lib/fail.ts'
import { linearPattern } from '../../lib/text/linear-pattern.ts'
import { ForbiddenDestination } from '../../lib/outbound.ts'
import { BLOCKED } from '../projects/index.ts'

/** The credentials of a mirror. */
export interface Credentials {
  readonly user: string
  readonly password: string
}

/** The parsed address of a mirror. */
export interface MirrorAddress {
  /** The URL without user name and password. The user `git` of SSH URLs stays. */
  readonly url: string
  readonly credentials: Credentials | null
}

/** Replaces credentials in answers. A request that contains it keeps the stored credentials. */
export const MASK = '*****'
const SCHEMES = ['http', 'https', 'ssh', 'git']
const HOST = /^(?:[a-z0-9](?:[a-z0-9._-]{0,251}[a-z0-9])?\.?|\[[0-9a-f:.]+\])$/i

function blockedUrl(reason: string): Error {
  return invalid({ url: `is blocked: ${reason}` })
}

/** Parses the URL of a mirror. Throws 400 for an invalid one (spec administration 5.1). */
export function parseMirrorUrl(address: string): MirrorAddress {
  const text = address.trim()
  if (text === '') throw invalid({ url: "can't be blank" })
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase()
  if (scheme === undefined || !SCHEMES.includes(scheme))
    throw blockedUrl(`Only allowed schemes are ${SCHEMES.join(', ')}`)
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u0020\u007f\\]/.test(text) || !URL.canParse(text)) throw blockedUrl('URI is invalid')
  const url = new URL(text)
  if (!HOST.test(url.hostname)) throw blockedUrl('Hostname or IP address invalid')
  const user = decoded(url.username)
  const password = decoded(url.password)
  if (user !== '' && user !== MASK && !/^[\p{L}\p{N}]/u.test(user))
    throw blockedUrl('Username needs to start with an alphanumeric character')
  if (scheme === 'ssh' && user !== '' && user !== MASK && !/^[\w.@+-]+$/.test(user))
    throw blockedUrl('URI is invalid')
  return { url: urlToStore(url), credentials: user === '' && password === '' ? null : { user, password } }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw blockedUrl('URI is invalid')
  }
}

function urlToStore(url: URL): string {
  const keepsUser = url.protocol === 'ssh:' && url.username === 'git'
  if (!keepsUser) url.username = ''
  url.password = ''
  url.hash = ''
  return url.toString().replace(/\/+$/, '')
}

/** Whether two URLs name the same server, so that credentials for one may be sent to the other. */
export function isSameServer(a: string, b: string): boolean {
  const [first, second] = [new URL(a), new URL(b)]
  return first.protocol === second.protocol && first.host === second.host
}

export function isSsh(url: string): boolean {
  return url.startsWith('ssh:')
}

/** Returns the URL for answers, with a mask instead of credentials. */
export function maskedUrl(url: string, hasCredentials: boolean): string {
  if (!hasCredentials || /^ssh:\/\/[^/]*@/.test(url)) return url
  return url.replace('://', `://${MASK}:${MASK}@`)
}

/**
 * Throws 400 for an address that outgoing requests must not reach. An unknown host name is accepted, since every update
 * resolves it again.
 */
export async function checkReachable(ctx: Pick<Ctx, 'outbound'>, url: string): Promise<void> {
  await ctx.outbound.addressOfUrl(url, 'repository').catch((error: unknown) => {
    if (error instanceof ForbiddenDestination) throw invalid({ url: BLOCKED })
  })
}

/** Returns the name under which the host key of an SSH server is stored. */
export function hostAlias(url: string): string {
  const { hostname } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  return isIP(host) === 6 ? host.replaceAll(':', '_') : host
}

/** Compiles the pattern of mirrored branches. Throws 400 for an invalid or too large pattern. */
export function branchPattern(source: string): { test(name: string): boolean } {
  const pattern = compile(source)
  return { test: (name) => pattern.matcher(name).find() }
}

function compile(source: string) {
  try {
    return linearPattern(source)
  } catch (error) {
    throw invalid({ mirror_branch_regex: `not valid RE2 syntax: ${(error as Error).message}` })
  }
}
