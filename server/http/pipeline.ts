import type { Context } from 'koa'

import type { Ctx } from '../ctx.ts'
import type { ReadWatch } from '../db/changes.ts'
import type { Tables } from '../db/statement-tables.ts'
import type { Encoded } from '../db/rows.ts'
import type { Client } from '../git/process/locks.ts'
import { causeOfRequest } from '../lib/cause.ts'
import { fail, Failure } from '../lib/fail.ts'
import type { Actor } from '../policy/actor.ts'
import { EVENT_UUID_HEADER } from '../lib/aliases.ts'
import { AnswerCache, type CachedAnswer } from './answer/answer-cache.ts'
import { type BodyOptions, hasBody, NO_BODY, type ParsedBody, readBody, readBytes } from './request/body.ts'
import {
  containsCredentials,
  type Credentials,
  credentialsOf,
  exchangeOf,
  HttpClient,
} from './request/exchange.ts'
import { bodyOf, etagOf, READ_METHODS, sendJson, sendRaw } from './answer/send.ts'
import { isOutsideApi, requireDeclared, type RequestHead, type Endpoint } from './endpoint.ts'
import { errorAnswer, reasonOf, statusOf } from './answer/errors.ts'
import type { Presentation } from './entity.ts'
import { discardFiles } from './request/multipart.ts'
import { checkLimit } from './limit.ts'
import { authorize, checkTokenScope, loadScope, needsSignIn } from './authorize.ts'
import { merge, queryOf, type Nested } from './request/nesting.ts'
import { keysetPage, pageHeaders, readPaging } from './paging.ts'
import type { Paging, RawAnswer, Rows } from './returns.ts'
import { validatorOf, type Validator } from './validate.ts'
import { observedIn } from './request-log.ts'
import type { RequestObserver } from '../observer.ts'
import { isDeclared, refusalOf } from './answer/refusals.ts'

/** The parts of the instance that the pipeline needs. */
export interface PipelineOptions {
  /** Creates the context of one request for an actor. */
  readonly contextFor: (actor: Actor, client?: Client) => Ctx
  /** Resolves the actor, once per request (`domains/auth`). Throws for invalid credentials. */
  readonly authenticate: (ctx: Ctx, request: Credentials) => Actor
  /** The current body limits from the settings. */
  readonly bodyLimits: () => Omit<BodyOptions, 'maxBytes' | 'newId'>
  readonly anonymous: Actor
  /** The settings that change the format of answers. */
  readonly presented: () => Pick<Presentation, 'cloneUrl' | 'inHours'>
  /** The interval in milliseconds at which a polling window should repeat a request; -1 for never. */
  readonly pollInterval: () => number
  /** Throws when the actor may not write at the moment (maintenance). */
  readonly checkWrite: (ctx: Ctx) => void
}

/** Runs declared endpoints: authenticate → parseParams → loadScope → authorize → run → present. */
export class Pipeline {
  readonly #options: PipelineOptions
  readonly #validators = new Map<Endpoint, Validator>()
  readonly #cache = new AnswerCache()

  constructor(options: PipelineOptions) {
    this.#options = options
  }

  /** Answers `ctx` with `endpoint`; `values` are the decoded path parameters. Never throws. */
  async answer(ctx: Context, endpoint: Endpoint, values: Readonly<Record<string, string>>): Promise<void> {
    let body: ParsedBody | undefined
    let watch: ReadWatch | undefined
    const client = new HttpClient(ctx.method, ctx.res)
    const observed = observedIn(ctx)
    observed?.matched(endpoint, values)
    try {
      const base = this.#options.contextFor(this.#options.anonymous, client)
      if (endpoint.pure && READ_METHODS.has(ctx.method)) watch = base.db.watchReads()
      const query = queryOf(ctx)
      const cause = causeOfRequest(String(ctx.state['requestId']), ctx.get(EVENT_UUID_HEADER), ctx.ip)
      const resolved = actorOfThrottle(ctx, endpoint)
      // A cached answer also depends on the tables that the actor was read from.
      if (resolved) watch?.add(ctx.state['actorReads'] as Tables)
      let actor = resolved ?? this.#actorOf(ctx, endpoint, base, query)
      observed?.actor(actor)
      observed?.ended('authenticate')
      const head = { values, query, header: (name: string) => ctx.get(name) }
      body = await this.#readBody(ctx, endpoint, { ...base, actor, cause }, head)
      if (containsCredentials(body.params))
        actor = this.#actorOf(ctx, endpoint, base, merge(query, body.params))
      if (observed) reportBody(observed, actor, body)
      checkTokenScope(endpoint.token, actor, READ_METHODS.has(ctx.method))
      if (!READ_METHODS.has(ctx.method) && !endpoint.allowsRestrictedSession && !isOauth(endpoint))
        this.#options.checkWrite({ ...base, actor })
      const request: Ctx = { ...base, actor, cause }
      const pure =
        watch !== undefined &&
        body.files.length === 0 &&
        isEmpty(body.params) &&
        !endpoint.scope?.isExternallyDecided?.(request)
      if (pure && endpoint.limit)
        checkLimit(endpoint.limit, { ctx, endpoint, base: request, params: { ...query, ...values } })
      const cached = pure ? this.#cache.get(request, ctx.url) : undefined
      if (cached) return sendCached(ctx, cached)
      const rawParams = merge(query, body.params)
      const exchange = { client, values, rawParams, bytes: body.bytes, watch: pure ? watch : undefined }
      if (READ_METHODS.has(ctx.method)) await this.#perform(ctx, endpoint, request, exchange)
      else {
        await base.events.duringRequest(cause, () => this.#perform(ctx, endpoint, request, exchange))
        await base.db.stored()
      }
    } catch (error) {
      const input = merge(queryOf(ctx), body?.params ?? {})
      const checkStillExists = () => this.#checkStillExists(ctx, endpoint, input, values)
      this.#refuse(ctx, endpoint, reasonOf(error, checkStillExists))
    } finally {
      watch?.end()
      if (body && body.files.length > 0) void discardFiles(body.files)
    }
  }

  #actorOf(ctx: Context, endpoint: Endpoint, base: Ctx, input: Nested): Actor {
    if (endpoint.ignoresCredentials) return this.#options.anonymous
    const actor = this.#options.authenticate(base, credentialsOf(ctx, input, endpoint))
    if (actor.kind === 'user' && actor.sudo_by !== undefined)
      ctx.state['sudo'] = { user_id: actor.id, sudo_by: actor.sudo_by }
    return actor
  }

  /** Throws 401 or 404 when the actor or the owner was deleted since the request came in. */
  #checkStillExists(
    ctx: Context,
    endpoint: Endpoint,
    input: Nested,
    values: Readonly<Record<string, string>>,
  ): void {
    const base = this.#options.contextFor(this.#options.anonymous)
    const actor = this.#actorOf(ctx, endpoint, base, input)
    if (endpoint.scope) loadScope(ctx, endpoint.scope, { ...base, actor }, values[endpoint.scope.param]!)
  }

  async #readBody(ctx: Context, endpoint: Endpoint, base: Ctx, head: RequestHead): Promise<ParsedBody> {
    if (!hasBody(ctx.req)) return NO_BODY
    if (endpoint.takesBytes) return { ...NO_BODY, bytes: await readBytes(ctx.req, endpoint.maxBody) }
    const limit = endpoint.files?.(base, head)
    return readBody(ctx, {
      ...this.#options.bodyLimits(),
      ...(limit ? { maxFileBytes: limit.maxBytes, tooLarge: limit.tooLarge } : {}),
      maxBytes: endpoint.maxBody,
      newId: () => base.random.id(),
    })
  }

  async #perform(
    ctx: Context,
    endpoint: Endpoint,
    base: Ctx,
    input: {
      client: Client
      values: Readonly<Record<string, string>>
      rawParams: Nested
      bytes: Buffer | undefined
      /** Records the tables that the answer is computed from, if it may be cached. */
      watch: ReadWatch | undefined
    },
  ): Promise<void> {
    const { scope } = endpoint
    const observed = observedIn(ctx)
    // An anonymous caller gets 401 before parameters and owner are checked (spec rest-api, Errors).
    if (base.actor.kind === 'anonymous' && needsSignIn(endpoint, !READ_METHODS.has(ctx.method)))
      throw fail('unauthorized')
    // Query and body cannot override values of the path.
    const params = this.#validatorOf(endpoint).check(Object.assign(input.rawParams, input.values))
    observed?.checked(this.#validatorOf(endpoint).shape)
    const owner = scope ? loadScope(ctx, scope, base, input.values[scope.param]!) : undefined
    const decision = scope?.admits?.(base, owner)
    if (decision) {
      input.watch?.add('every')
      await decision
    }
    observed?.ended('scope')
    authorize(endpoint, base, owner, !READ_METHODS.has(ctx.method))
    observed?.ended('authorize')
    if (!input.watch && endpoint.limit)
      checkLimit(endpoint.limit, { ctx, endpoint, base, params: { ...input.values, ...params } })
    const paging = endpoint.returns.list ? readPaging(endpoint.returns.list, params) : undefined
    const http = exchangeOf(ctx, input.client, input.bytes, input.rawParams)
    const runContext = { ...base, params, paging, http, ...(scope ? { [scope.name]: owner } : {}) }
    const result = endpoint.run(runContext as never)
    // An asynchronous `run` may read git. Changes in git are recorded in tables that the answer does not read, so the
    // answer depends on all tables.
    if (result instanceof Promise) input.watch?.add('every')
    const output = await result
    observed?.ended('run')
    this.#present(ctx, endpoint, base, { output, paging, values: input.values, watch: input.watch })
    observed?.ended('present')
  }

  #present(ctx: Context, endpoint: Endpoint, base: Ctx, result: Result): void {
    const { returns } = endpoint
    if (!ctx.writable) return
    ctx.status = answerStatus(ctx, endpoint, base)
    if (ctx.method === 'HEAD' && endpoint.head) {
      ctx.body = null
      ctx.status = endpoint.head
    } else if (returns.kind === 'empty') {
      ctx.body = null
      ctx.status = returns.status
    } else if (returns.kind === 'message') {
      sendJson(ctx, '{"message":"202 Accepted"}', endpoint)
    } else if (returns.kind === 'raw') {
      const answer = result.output as RawAnswer
      if (base.config.strict) requireDeclared(endpoint, answer.status ?? returns.status)
      sendRaw(ctx, answer, returns.status)
    } else {
      const presented = this.#presentEntity(ctx, endpoint, base, result)
      const { encoded, headers } = presented
      const body = encoded?.body ?? bodyOf(presented.value)
      const etag = endpoint.volatile ? '' : (encoded?.etag ?? etagOf(body))
      ctx.set(headers)
      if (encoded) Object.assign(encoded, { body, etag })
      else if (result.watch !== undefined)
        this.#cache.put(base, ctx.url, result.watch, { body, etag, headers })
      if (isOutsideApi(endpoint.path)) ctx.set('Poll-Interval', String(this.#options.pollInterval()))
      sendJson(ctx, body, { volatile: endpoint.volatile, etag, type: endpoint.format?.type })
    }
  }

  #presentEntity(
    ctx: Context,
    endpoint: Endpoint,
    base: Ctx,
    result: Result,
  ): { value: unknown; headers: Record<string, string>; encoded?: Encoded | undefined } {
    const view = endpoint.returns.entity!
    const { url, sshPort } = base.config
    const at = { url, sshPort, now: base.now, ...this.#options.presented() }
    const show = (row: unknown): unknown => {
      const json = view.present(row as never, at)
      if (base.config.strict)
        this.#checkDeclaration(endpoint, view.schema.safeParse(JSON.parse(JSON.stringify(json))))
      return json
    }
    if (endpoint.returns.kind !== 'page') return { value: show(result.output), headers: {} }
    const paging = result.paging!
    const page = result.output as Rows<{ id: number }>
    const rows: Rows<unknown> = paging.keyset && !page.next ? keysetPage(page.rows, paging) : page
    const { encoded } = rows
    const value = encoded?.body ? undefined : rows.rows.map(show)
    if (endpoint.returns.list?.paging === 'none') return { value, headers: {}, encoded }
    const request = { address: base.config.url + ctx.path, query: ctx.querystring, path: result.values }
    return { value, headers: pageHeaders(request, paging, rows, rows.rows.length), encoded }
  }

  #checkDeclaration(
    endpoint: Endpoint,
    parsed: { success: boolean; error?: { message: string } | undefined },
  ): void {
    if (!parsed.success)
      throw new Error(
        `${endpoint.route} gave an answer that its declaration does not allow: ${parsed.error?.message}`,
      )
  }

  #refuse(ctx: Context, endpoint: Endpoint, error: unknown): void {
    const base = this.#options.contextFor(this.#options.anonymous)
    let answer = errorAnswer(error)
    if (base.config.strict && error instanceof Failure && !isDeclared(endpoint, error)) {
      answer = errorAnswer(
        new Error(
          `${endpoint.route} refused with ${statusOf(error.kind)} (${error.message}), which it does not declare`,
        ),
      )
      ctx.set('X-Undeclared', error.message.replace(/[^\x20-\x7e]/g, ' ').slice(0, 200))
    }
    if (answer.status === 507) base.log.error({ err: error, route: endpoint.route }, 'disk error')
    if (answer.unexpected)
      base.log.error(
        { err: error, request_id: ctx.state['requestId'], route: endpoint.route },
        'unexpected error',
      )
    if (base.config.strict && answer.unexpected)
      process.stderr.write(`${endpoint.route}: ${error instanceof Error ? error.stack : String(error)}\n`)
    // The connection may be closed already, perhaps with its own answer.
    if (!ctx.writable) return
    ctx.status = answer.status
    ctx.set(answer.headers)
    if (answer.status === 304) ctx.body = null
    else if (answer.text !== undefined) ctx.body = answer.text
    else
      sendJson(ctx, JSON.stringify(refusalOf(endpoint, answer)), {
        volatile: endpoint.volatile,
        type: endpoint.format?.type,
      })
    ctx.status = answer.status
  }

  #validatorOf(endpoint: Endpoint): Validator {
    const cached = this.#validators.get(endpoint)
    if (cached) return cached
    const validator = validatorOf(endpoint)
    this.#validators.set(endpoint, validator)
    return validator
  }
}

/**
 * The result of `run`, and the data that its presentation needs. `watch` records the tables that the answer of a pure
 * endpoint is computed from.
 */
interface Result {
  readonly output: unknown
  readonly paging: Paging | undefined
  readonly values: Readonly<Record<string, string>>
  readonly watch: ReadWatch | undefined
}

/** The status of a successful answer: that of `returns`, or one of `also` that `run` has set. */
function answerStatus(ctx: Context, endpoint: Endpoint, base: Ctx): number {
  const status = (ctx.state['status'] as number | undefined) ?? endpoint.returns.status
  if (base.config.strict) requireDeclared(endpoint, status)
  return status
}

/** True for OAuth endpoints. They work during maintenance too, because users sign in with them. */
function isOauth({ path }: Endpoint): boolean {
  return path.startsWith('/oauth/')
}

/**
 * The actor that the throttle has already authenticated; undefined when the endpoint may resolve another one, because it
 * ignores credentials or may not accept the token of a job.
 */
function actorOfThrottle(ctx: Context, endpoint: Endpoint): Actor | undefined {
  const actor = ctx.state['actor'] as Actor | undefined
  if (!actor || endpoint.ignoresCredentials) return undefined
  const mayDiffer = actor.kind === 'user' && (actor.sudo_by !== undefined || actor.job)
  return mayDiffer ? undefined : actor
}

function reportBody(observed: RequestObserver, actor: Actor, { params }: ParsedBody): void {
  observed.actor(actor)
  observed.received(params)
  observed.ended('receive')
}

function isEmpty(params: Nested): boolean {
  for (const _name in params) return false
  return true
}

function sendCached(ctx: Context, cached: CachedAnswer): void {
  observedIn(ctx)?.answeredFromCache()
  ctx.status = 200
  ctx.set(cached.headers)
  sendJson(ctx, cached.body, { volatile: false, etag: cached.etag })
}
