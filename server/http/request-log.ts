import { performance } from 'node:perf_hooks'

import type { Context, Next } from 'koa'

import type { Ctx } from '../ctx.ts'
import { requestCountsOf } from '../lib/request-counts.ts'
import { serviceHeaders } from '../lib/aliases.ts'
import { setObject } from './answer/send.ts'
import { hasDisconnected, isDisconnectError } from './request/exchange.ts'
import { errorAnswer, statusOf } from './answer/errors.ts'
import type { Observer, RequestObserver } from '../observer.ts'

/** Methods that are counted by name. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** The path of a request; undefined when its target is not a valid URL. */
function pathOf(ctx: Context): string | undefined {
  try {
    return ctx.path || undefined
  } catch {
    return undefined
  }
}

/** Starts to record a request, if the instance has an observer. */
function observe(
  ctx: Context,
  id: string,
  start: number,
  observer: Observer | null,
): RequestObserver | undefined {
  if (!observer) return undefined
  const { method, url: target, headers, rawHeaders } = ctx.req
  return (ctx.state['observed'] = observer.request({
    id,
    method: method ?? '',
    target: target ?? '',
    headers,
    rawHeaders,
    ip: ctx.ip,
    start,
  }))
}

/** The observer of the request; undefined if the request is not recorded. */
export function observedIn(ctx: Context): RequestObserver | undefined {
  return ctx.state['observed'] as RequestObserver | undefined
}

/** Gives every request an id and a log line, and converts an uncaught error to a 500 without details. */
export function requestLog({ random, log, db }: Ctx) {
  const counts = requestCountsOf(db)
  return async function logRequest(ctx: Context, next: Next): Promise<void> {
    const start = performance.now()
    const id = random.id()
    ctx.state['requestId'] = id
    ctx.res.setHeader('X-Request-Id', id)
    ctx.set(serviceHeaders({ Meta: `{"correlation_id":"${id}","version":"1"}` }))
    const path = pathOf(ctx)
    const observed = observe(ctx, id, start, db.observation.observer)
    try {
      if (path === undefined) {
        ctx.status = 400
        setObject(ctx, { error: '400 Bad Request' })
      } else await (observed ? observed.during(next) : next())
    } catch (error) {
      const answer = errorAnswer(error)
      if (answer.unexpected && !isDisconnectError(error, ctx.res))
        log.error({ err: error, request_id: id, path }, 'unexpected error')
      if (!ctx.res.headersSent) {
        ctx.status = answer.status
        ctx.set(answer.headers)
        if (answer.text === undefined) setObject(ctx, answer.body)
        else ctx.body = answer.text
      }
    }
    const ms = performance.now() - start
    observed?.close({ status: ctx.status, headers: ctx.res, ms, body: ctx.body, ip: ctx.ip })
    // A client that disconnected did not receive the answer, so the log has 499 instead of its status.
    const status = hasDisconnected(ctx.res) ? statusOf('client_left') : ctx.status
    counts.add(METHODS.has(ctx.method) ? ctx.method : 'OTHER', status, ms / 1000)
    if (!ctx.res.headersSent) ctx.res.setHeader('X-Runtime', (ms / 1000).toFixed(6))
    // Successful reads are most of the traffic, and logging them takes a fifth of their time, so they are debug lines.
    // Requests with `sudo` are always logged.
    const sudo = ctx.state['sudo'] as object | undefined
    const isQuiet = !sudo && status < 400 && (ctx.method === 'GET' || ctx.method === 'HEAD')
    const level = status >= 500 ? 'warn' : isQuiet ? 'debug' : 'info'
    if (!log.isLevelEnabled(level)) return
    const line = {
      request_id: id,
      method: ctx.method,
      path,
      status,
      ms: Math.round(ms * 10) / 10,
      ...sudo,
    }
    log[level](line, 'request')
  }
}
