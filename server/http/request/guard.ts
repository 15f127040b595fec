import { isIP } from 'node:net'

import type { Context, Next } from 'koa'

import type { Config } from '../../config.ts'
import { setObject } from '../answer/send.ts'
import { peerReader } from '../../lib/net/peer.ts'

/** One year, in seconds. */
const HSTS = 'max-age=31536000'

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]', '::1'])

/** The host name of a `Host` header or origin, without the port. */
function hostName(host: string): string {
  const bracket = /^\[[^\]]*\]/.exec(host)
  return (bracket ? bracket[0] : host.replace(/:\d*$/, '')).toLowerCase()
}

function isLoopbackName(name: string): boolean {
  return LOOPBACK.has(name) || name.endsWith('.localhost')
}

function isOwnHost(name: string, config: Config): boolean {
  if (isLoopbackName(name) || config.allowedHosts.includes(name)) return true
  // A server on all network interfaces accepts every IP address as its host, because DNS rebinding needs a name.
  const acceptsAddresses = config.host === '0.0.0.0' || config.host === '::'
  if (name === hostName(new URL(config.url).host)) return true
  return name === config.host.toLowerCase() || (acceptsAddresses && isIP(name.replace(/^\[|\]$/g, '')) > 0)
}

/** The content security policy of the window: it loads everything from the instance, and runs no inline scripts. */
const csp = (pictures: readonly string[]) =>
  [
    "default-src 'self'",
    "script-src 'self'",
    // Virtual lists and menus position their elements with style attributes.
    "style-src 'self' 'unsafe-inline'",
    ["img-src 'self' data: blob:", ...pictures].join(' '),
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')

/** Paths that accept no cookie. Their clients send all credentials explicitly, so pages of every origin may call them. */
const FOR_ALL_ORIGINS = new Set([
  '/oauth/token',
  '/oauth/revoke',
  '/oauth/introspect',
  '/oauth/userinfo',
  '/oauth/discovery/keys',
  '/.well-known/openid-configuration',
  '/.well-known/oauth-authorization-server',
])

const EXPOSED_HEADERS =
  'Link, X-Total, X-Total-Pages, X-Per-Page, X-Page, X-Next-Page, X-Prev-Page, X-Request-Id, Retry-After'

/**
 * The first step: sets the headers of every answer, and refuses requests with a foreign host name (DNS rebinding) or
 * from a page of a foreign origin. Pages of other local servers may read with a token, never with the cookie.
 */
export function guard(config: Config) {
  const peerOf = peerReader(config.trustedProxies)
  return async function checkOrigin(ctx: Context, next: Next): Promise<void> {
    const { headers } = ctx.req
    const peer = peerOf(ctx.req)
    // Later steps read the client's address from koa.
    ctx.request.ip = peer.ip
    ctx.state['secure'] = peer.secure
    // Loopback names get no HSTS, because other ports of the same name may serve plain HTTP.
    if (peer.secure && !isLoopbackName(hostName(peer.host))) ctx.set('Strict-Transport-Security', HSTS)
    ctx.set('X-Content-Type-Options', 'nosniff')
    ctx.set('X-Frame-Options', 'SAMEORIGIN')
    ctx.set('Vary', 'Origin')
    if (!isOwnHost(hostName(peer.host), config)) {
      return refuse(ctx, 'This instance does not accept this host name.')
    }
    const { origin } = headers
    if (FOR_ALL_ORIGINS.has(ctx.path)) {
      ctx.set('Access-Control-Allow-Origin', '*')
      if (ctx.method === 'OPTIONS' && headers['access-control-request-method']) return preflight(ctx)
      return next()
    }
    if (origin !== undefined && origin !== 'null' && !isOwnOrigin(origin, config)) {
      return refuse(ctx, 'Requests from pages of other origins are not accepted.')
    }
    if (origin === 'null' && ctx.method !== 'GET' && ctx.method !== 'HEAD') {
      return refuse(ctx, 'Requests from pages of other origins are not accepted.')
    }
    if (origin !== undefined && origin !== 'null') {
      ctx.set('Access-Control-Allow-Origin', origin)
      ctx.set('Access-Control-Expose-Headers', EXPOSED_HEADERS)
      if (ctx.method === 'OPTIONS' && headers['access-control-request-method']) return preflight(ctx)
    }
    await next()
  }
}

function isOwnOrigin(origin: string, config: Config): boolean {
  try {
    const { protocol, hostname } = new URL(origin)
    return (protocol === 'http:' || protocol === 'https:') && isOwnHost(hostname.toLowerCase(), config)
  } catch {
    return false
  }
}

function refuse(ctx: Context, reason: string): void {
  ctx.status = 403
  setObject(ctx, { message: `403 Forbidden - ${reason}` })
}

function preflight(ctx: Context): void {
  ctx.status = 204
  ctx.set('Access-Control-Allow-Methods', 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS')
  ctx.set('Access-Control-Allow-Headers', ctx.get('access-control-request-headers'))
  ctx.set('Access-Control-Max-Age', '600')
}

/** Settings of the window's pages. */
export interface PageSettings {
  /** Additional headers. */
  readonly headers: Readonly<Record<string, string>>
  /** Origins of other servers that pictures may come from. */
  readonly pictures: readonly string[]
}

/** Sets the security headers of a page of the window. `pictures` are origins that it may load pictures from. */
export function pageSecurity(ctx: Context, pictures: readonly string[] = []): void {
  ctx.set('Content-Security-Policy', csp(pictures))
  ctx.set('Referrer-Policy', 'same-origin')
  ctx.set('Cross-Origin-Opener-Policy', 'same-origin')
}
