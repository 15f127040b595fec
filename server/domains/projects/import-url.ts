import type { Ctx } from '../../ctx.ts'
import { fail, invalid } from '../../lib/fail.ts'
import { ForbiddenDestination } from '../../lib/outbound.ts'
import { withoutCredentials } from '../../lib/url.ts'
import { settingsOf } from '../settings/index.ts'

/** Where a repository is, apart from the name and password that its address carried. */
export interface ImportAddress {
  readonly url: string
  readonly credentials: RemoteCredentials | undefined
  readonly authorization: string | undefined
}

/** How somebody signs in to a repository elsewhere. */
export interface RemoteCredentials {
  readonly user: string
  readonly password: string
}

/** Said of addresses that the guard of outgoing requests does not let pass. */
export const BLOCKED = 'is blocked: Requests to the local network are not allowed'

const UNREACHABLE = 'Unable to access repository with the URL and credentials provided'
const ADVERTISEMENT = 'application/x-git-upload-pack-advertisement'
const QUERY = '/info/refs?service=git-upload-pack'
const TIMEOUT_MS = 10_000

/** Takes an address apart. Throws 422 for what is no http or https address. */
export function parseImportUrl(address: string): ImportAddress {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '') {
    throw fail('unprocessable', `${withoutCredentials(address)} is not a valid URL`)
  }
  const { username, password } = url
  const credentials =
    username || password ? { user: decode(username), password: decode(password) } : undefined
  url.username = ''
  url.password = ''
  url.hash = ''
  const pair = credentials && Buffer.from(`${credentials.user}:${credentials.password}`).toString('base64')
  const authorization = pair && `Basic ${pair}`
  return { url: url.toString().replace(/\/+$/, ''), credentials, authorization }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * Checks that projects may be imported from addresses, and that there is a repository at this one; gives the address to
 * clone from, with its credentials, after redirects. Throws 403 when that source is switched off, 400 for a place that
 * outgoing requests may not reach, 422 where there is no repository.
 */
export async function checkImportUrl(ctx: Ctx, address: string): Promise<string> {
  if (!settingsOf(ctx).import_sources.includes('git')) throw fail('forbidden')
  const { url, authorization } = parseImportUrl(address)
  const final = await probe(ctx, url, authorization)
  const target = new URL(final)
  const from = new URL(address)
  // Credentials are for the host they were given for, and go no less safely than they came.
  const isAsSafe = target.protocol === 'https:' || from.protocol === 'http:'
  if (target.hostname === from.hostname && isAsSafe) {
    target.username = from.username
    target.password = from.password
  }
  return target.toString()
}

async function probe(ctx: Ctx, url: string, authorization: string | undefined): Promise<string> {
  const response = await ask(ctx, url, authorization)
  await response.body?.cancel().catch(() => undefined)
  if (!response.ok) throw fail('unprocessable', UNREACHABLE)
  if (!response.headers.get('content-type')?.startsWith(ADVERTISEMENT)) {
    throw fail('unprocessable', `${url} is not a valid HTTP Git repository`)
  }
  return response.url.endsWith(QUERY) ? response.url.slice(0, -QUERY.length) : url
}

async function ask(ctx: Ctx, url: string, authorization: string | undefined) {
  const headers: Record<string, string> = {
    'user-agent': 'git/2.39.0',
    ...(authorization ? { authorization } : {}),
  }
  try {
    return await ctx.outbound.fetch(url + QUERY, { headers, timeoutMs: TIMEOUT_MS, purpose: 'repository' })
  } catch (error) {
    if (isForbidden(error)) {
      throw invalid({ import_url: BLOCKED })
    }
    throw fail('unprocessable', UNREACHABLE)
  }
}

function isForbidden(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  return error instanceof ForbiddenDestination || cause instanceof ForbiddenDestination
}
