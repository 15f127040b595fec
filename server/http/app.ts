import Koa, { type Context, type Next } from 'koa'

import type { Ctx } from '../ctx.ts'
import { fail, Failure } from '../lib/fail.ts'
import { type RequestHold, requestHoldOf } from '../lib/request-hold.ts'
import type { Actor } from '../policy/actor.ts'
import { type Credentials, credentialsOf, HttpClient, isDisconnectError } from './request/exchange.ts'
import { errorAnswer } from './answer/errors.ts'
import { isOutsideApi } from './endpoint.ts'
import { type EndpointSource, RouteTable } from './route-table.ts'
import { filePage } from './answer/file-page.ts'
import { guard, type PageSettings } from './request/guard.ts'
import { Pipeline, type PipelineOptions } from './pipeline.ts'
import { checkTokenScope } from './authorize.ts'
import { observedIn, requestLog } from './request-log.ts'
import { setObject } from './answer/send.ts'
import { StaticFiles } from './answer/static.ts'
import { eventStream } from './answer/stream.ts'
import { throttle, type ThrottleOptions } from './request/throttle.ts'
import type { WebExchange, WebRoute } from './web-route.ts'
import { canonicalPath, SERVICE_NAME } from '../lib/aliases.ts'
import { docsPage, docsScript } from './docs.ts'
import { openApi } from './openapi.ts'

/** The parts of the instance that the HTTP server needs. */
export interface AppOptions extends PipelineOptions, Pick<ThrottleOptions, 'throttles'> {
  /** The URL that visitors of `/` are redirected to; null if they are not redirected. */
  readonly homePage: () => string | null
  readonly endpoints: readonly EndpointSource[]
  /**
   * The access of a session cookie without the token of its page: `none`, `whole`, or `page` if the token is required.
   */
  readonly cookieAccess: (ctx: Ctx, request: Credentials) => 'none' | 'page' | 'whole'
  readonly webRoutes: readonly WebRoute[]
  /** True when a window may receive an event. */
  readonly mayReceive: (ctx: Ctx, payload: unknown) => boolean
  /** Settings of the window's page. */
  readonly page: () => PageSettings
  /** The checks of `/-/readiness?all=1` by name. A check that fails returns a sentence. */
  readonly checks: Readonly<Record<string, () => string | undefined>>
}

const API = '/api/v4'

/**
 * Creates the Koa application. Order: request id and log → host and origin → throttle → git and files → API → window.
 */
export function createApp(options: AppOptions): Koa {
  const { config, db } = options.contextFor(options.anonymous)
  const app = new Koa()
  app.proxy = false
  app.silent = true
  app.use(requestLog(options.contextFor(options.anonymous)))
  app.use(guard(config))
  app.use(holdRequests(requestHoldOf(db)))
  app.use(throttle(options))
  app.use(
    filePage({
      isFile: (path) =>
        path.startsWith(`${API}/`) || options.webRoutes.some((route) => route.pattern.test(path)),
      lacksPageToken: (ctx) => cookieAccess(ctx, options) === 'page',
    }),
  )
  app.use(webRoutes(options))
  app.use(apiRoutes(options))
  app.use(instanceRoutes(options))
  app.use(homePage(options))
  app.use(windowRoutes(new StaticFiles(config.rendererDir), options.page))
  return app
}

function webRoutes(options: AppOptions) {
  return async function answerWebRoute(ctx: Context, next: Next): Promise<void> {
    // No web route is below `/api/`, and its patterns take long for the paths of the API.
    const routes = ctx.path.startsWith('/api/') ? [] : options.webRoutes
    for (const route of routes) {
      const match = route.pattern.exec(ctx.path)
      if (!match || !route.methods.includes(ctx.method)) continue
      const client = new HttpClient(ctx.method, ctx.res)
      const observed = observedIn(ctx)
      observed?.routed(route.name)
      const base = options.contextFor(options.anonymous, client)
      // The route writes the response itself.
      ctx.respond = false
      ctx.res.statusCode = 200
      const exchange = {
        req: ctx.req,
        res: ctx.res,
        match,
        query: ctx.querystring,
        ctx: base,
        requestId: String(ctx.state['requestId']),
        ip: ctx.ip,
        count: (actor: Actor): void => {
          observed?.actor(actor)
          ;(ctx.state['count'] as WebExchange['count'] | undefined)?.(actor)
        },
      }
      try {
        if ((await route.handle(exchange)) === 'declined') {
          observed?.routed(null)
          ctx.respond = true
          ctx.res.statusCode = 404
          continue
        }
      } catch (error) {
        const answer = errorAnswer(error)
        if (answer.unexpected && !isDisconnectError(error, ctx.res))
          base.log.error(
            { err: error, request_id: exchange.requestId, route: route.name },
            'unexpected error',
          )
        if (ctx.res.headersSent) ctx.res.destroy()
        else
          ctx.res
            .writeHead(answer.status, {
              'Content-Type': answer.text === undefined ? 'application/json' : 'text/plain',
              ...answer.headers,
            })
            .end(answer.text ?? JSON.stringify(answer.body))
      }
      ctx.status = ctx.res.statusCode
      return
    }
    await next()
  }
}

/** Answers `/api/v4`, and the endpoints outside it (`/-/…` of the window, `/oauth/…`). */
function apiRoutes(options: AppOptions) {
  const pipeline = new Pipeline(options)
  const api = new RouteTable(options.endpoints.filter((endpoint) => !isOutsideApi(endpoint.path)))
  const web = new RouteTable(options.endpoints.filter((endpoint) => isOutsideApi(endpoint.path)))
  return async function answerEndpoint(ctx: Context, next: Next): Promise<void> {
    const inApi = ctx.path === API || ctx.path.startsWith(`${API}/`)
    const match = inApi
      ? api.find(ctx.method, canonicalPath(ctx.path.slice(API.length)))
      : web.find(ctx.method, webPath(ctx.path))
    // `/-/profile/…` and `/-/first_run` are pages too: a browser gets the window.
    if (!inApi && wantsPage(ctx)) return next()
    if (match && 'endpoint' in match) {
      const endpoint = match.endpoint.loaded ?? (await match.endpoint.load())
      return pipeline.answer(ctx, endpoint, match.values)
    }
    if (match) return refuseMethod(ctx, match.allowed)
    if (inApi && ctx.path === `${API}/openapi.json`) return next()
    if (inApi) return sendError(ctx, 404, '404 Not Found')
    if (ctx.path.startsWith('/api/v3'))
      return sendError(ctx, 410, 'API V3 is no longer supported. Use API V4 instead.')
    if (ctx.path.startsWith('/api/') || ctx.path === '/api') return sendError(ctx, 404, '404 Not Found')
    await next()
  }
}

/** Removes the slash that some identity providers add to the path. */
function webPath(path: string): string {
  return path.startsWith('/api/scim/') && path.endsWith('/') ? path.slice(0, -1) : path
}

function wantsPage(ctx: Context): boolean {
  return ctx.method === 'GET' && ctx.path.startsWith('/-/') && ctx.get('accept').includes('text/html')
}

function refuseMethod(ctx: Context, allowed: readonly string[]): void {
  ctx.set('Allow', allowed.join(', '))
  if (ctx.method === 'OPTIONS') {
    ctx.status = 204
    return
  }
  sendError(ctx, 405, '405 Not Allowed')
}

function sendError(ctx: Context, status: number, error: string): void {
  ctx.status = status
  setObject(ctx, { error })
  ctx.set('Content-Type', 'application/json')
}

/** The routes for health, documentation and the event stream. Their paths may end with a slash, in any case. */
function instanceRoutes(options: AppOptions) {
  const { assetsDir, url, version } = options.contextFor(options.anonymous).config
  // The description is created once, on the first request, because the declarations do not change.
  let description: string | undefined
  const routes: Readonly<Record<string, (ctx: Context) => void | Promise<void>>> = {
    '/-/health': (ctx) => {
      ctx.body = `${SERVICE_NAME} OK`
    },
    '/-/liveness': (ctx) => setObject(ctx, { status: 'ok' }),
    '/-/readiness': (ctx) => readiness(ctx, options),
    [`${API}/openapi.json`]: async (ctx) => {
      const endpoints = await Promise.all(options.endpoints.map((source) => source.load()))
      description ??= JSON.stringify(openApi(endpoints, { url, version }))
      ctx.type = 'application/json'
      ctx.body = description
    },
    '/-/docs': (ctx) => docsPage(ctx),
    '/-/events': (ctx) => streamEvents(ctx, options),
  }
  return async function answerInstanceRoute(ctx: Context, next: Next): Promise<void> {
    const path = ctx.path.replace(/\/$/, '')
    const isRead = ctx.method === 'GET' || ctx.method === 'HEAD'
    const answer =
      isRead && Object.hasOwn(routes, path.toLowerCase()) ? routes[path.toLowerCase()] : undefined
    const docsFile = isRead ? /^\/-\/docs\/([^/]+)$/i.exec(path)?.[1] : undefined
    if (answer) await answer(ctx)
    else if (docsFile !== undefined) await docsScript(ctx, assetsDir, docsFile)
    else await next()
  }
}

/** Sends events to the actor while the credentials are valid. A window that signs out receives no more events. */
function streamEvents(ctx: Context, options: AppOptions): void {
  const credentials = credentialsOf(ctx)
  const currentContext = (): Ctx => {
    const base = options.contextFor(options.anonymous)
    const actor = options.authenticate(base, credentials)
    if (actor.kind === 'anonymous') throw fail('unauthorized')
    checkTokenScope([], actor, true)
    return { ...base, actor }
  }
  try {
    eventStream(ctx, currentContext(), (payload) => options.mayReceive(currentContext(), payload))
  } catch (error) {
    sendFailure(ctx, error)
  }
}

function sendFailure(ctx: Context, error: unknown): void {
  const answer = errorAnswer(error)
  if (answer.unexpected) throw error
  ctx.status = answer.status
  ctx.set(answer.headers)
  setObject(ctx, answer.body)
  ctx.set('Content-Type', 'application/json')
}

function readiness(ctx: Context, options: AppOptions): void {
  const all = ctx.query['all'] === '1'
  const results = all
    ? Object.entries(options.checks).map(([name, check]) => [name, problemOf(check)] as const)
    : []
  const failed = results.some(([, problem]) => problem !== undefined)
  const entries = results.map(([name, problem]) => [
    `${name}_check`,
    [problem ? { status: 'failed', message: problem } : { status: 'ok' }],
  ])
  ctx.status = failed ? 503 : 200
  setObject(ctx, {
    status: failed ? 'failed' : 'ok',
    master_check: [{ status: 'ok' }],
    ...Object.fromEntries(entries),
  })
}

function problemOf(check: () => string | undefined): string | undefined {
  try {
    return check()
  } catch (error) {
    return (error as Error).message
  }
}

/** Redirects visitors who are not signed in from `/` to the URL in the settings. */
function homePage(options: AppOptions) {
  return async function redirectHome(ctx: Context, next: Next): Promise<void> {
    const target = ctx.path === '/' && ctx.method === 'GET' ? options.homePage() : null
    if (target === null || isSignedIn(ctx, options)) return next()
    ctx.redirect(target)
  }
}

function cookieAccess(ctx: Context, options: AppOptions) {
  return options.cookieAccess(options.contextFor(options.anonymous), credentialsOf(ctx))
}

/** True for a signed-in user. A browser that opens a page sends only the cookie, and a redirect needs no more. */
function isSignedIn(ctx: Context, options: AppOptions): boolean {
  if (cookieAccess(ctx, options) !== 'none') return true
  try {
    const credentials = { ...credentialsOf(ctx), allowsRestrictedSession: true }
    return options.authenticate(options.contextFor(options.anonymous), credentials).kind !== 'anonymous'
  } catch {
    return false
  }
}

/** Serves the files of the window, and its page for every other path. */
function windowRoutes(files: StaticFiles, page: AppOptions['page']) {
  return function answerWindow(ctx: Context): void {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return refuseMethod(ctx, ['GET', 'HEAD', 'OPTIONS'])
    if (files.send(ctx)) return
    const isAsset = ctx.path.startsWith('/assets/') || ctx.path.startsWith('/-/docs/')
    if (!isAsset && files.sendPage(ctx, page())) return
    sendError(ctx, 404, '404 Not Found')
  }
}

/** The time in milliseconds that a request waits for the end of a hold. After it, the request is refused. */
const WAIT_MS = 5000
const RETRY_AFTER = '1'
/**
 * Paths of requests that do not wait. An event stream does not end, and its window reloads all data; the health checks
 * read no data.
 */
const EXEMPT = /^\/-\/(events|health|liveness|readiness)$/

/**
 * Counts every request until its answer is sent or its client has disconnected. A request waits during a hold, and gets
 * 503 if the hold takes too long.
 */
function holdRequests(hold: RequestHold) {
  return async function countRequest(ctx: Context, next: Next): Promise<void> {
    if (EXEMPT.test(ctx.path)) return next()
    const release = await hold.enter(WAIT_MS)
    if (!release) return refuse(ctx)
    ctx.res.once('close', release)
    await next()
  }
}

function refuse(ctx: Context): void {
  const answer = errorAnswer(
    new Failure('unavailable', 'The instance is restoring a snapshot; please try again.', {
      headers: { 'Retry-After': RETRY_AFTER },
    }),
  )
  ctx.status = answer.status
  ctx.set(answer.headers)
  ctx.body = answer.body as object
}
