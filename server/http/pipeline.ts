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
import { AnswerCache, type KeptAnswer } from './answer/answer-cache.ts'
import { type BodyOptions, hasBody, NO_BODY, type ParsedBody, readBody, readBytes } from './request/body.ts'
import { HttpClient } from './request/client.ts'
import { credentialsOf, showsCredentials, type Credentials } from './request/credentials.ts'
import { etagOf } from './answer/conditional.ts'
import { isOutsideApi, type RequestHead, type Endpoint } from './endpoint.ts'
import { errorAnswer, reasonOf, statusOf } from './answer/errors.ts'
import type { Presentation } from './entity.ts'
import { exchangeOf } from './request/exchange.ts'
import { discardFiles } from './request/multipart.ts'
import { Limits } from './limit.ts'
import { loadScope } from './request/load-scope.ts'
import { merge, parseForm, type Nested } from './request/nesting.ts'
import { keysetPage, pageHeaders, readPaging } from './paging.ts'
import type { Paging, RawAnswer, Rows } from './returns.ts'
import { sendJson, sendRaw } from './answer/send.ts'
import { validatorOf, type Validator } from './validate.ts'
import { authorize, checkTokenScope, needsSignIn } from './authorize.ts'
import { observedIn } from './request-log.ts'
import type { RequestObserver } from '../observer.ts'
import { isDeclared, refusalOf } from './answer/refusals.ts'

/** The parts of the instance that the pipeline needs. */
export interface PipelineOptions {
  /** A context for one request; everything but the actor. */
  readonly contextFor: (actor: Actor, client?: Client) => Ctx
  /** Resolves the actor, once per request (`domains/auth`). Throws for invalid credentials. */
  readonly authenticate: (ctx: Ctx, request: Credentials) => Actor
  /** The current body limits from the settings. */
  readonly bodyLimits: () => Omit<BodyOptions, 'maxBytes' | 'newId'>
  readonly anonymous: Actor
  /** Settings about the format of answers. */
  readonly presented: () => Pick<Presentation, 'cloneUrl' | 'inHours'>
  /** The interval in milliseconds at which a polling window should repeat a request; -1 for never. */
  readonly pollInterval: () => number
  /** Throws when the actor may not write at the moment (maintenance). */
  readonly checkWrite: (ctx: Ctx) => void
}

const READS = new Set(['GET', 'HEAD'])

/** Runs declared endpoints: authenticate → parseParams → loadScope → authorize → run → present. */
export class Pipeline {
  readonly #options: PipelineOptions
  readonly #validators = new Map<Endpoint, Validator>()
  readonly #kept = new AnswerCache()
  readonly #limits = new Limits()

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
      if (endpoint.pure && READS.has(ctx.method)) watch = base.db.watchReads()
      const query = parseForm(ctx.querystring)
      const cause = causeOfRequest(String(ctx.state['requestId']), ctx.get(EVENT_UUID_HEADER), ctx.ip)
      const resolved = knownActor(ctx, endpoint)
      // A cached answer also depends on the tables that the actor was read from.
      if (resolved) watch?.add(ctx.state['actorReads'] as Tables)
      let actor = resolved ?? this.#actorOf(ctx, endpoint, base, query)
      observed?.actor(actor)
      observed?.ended('authenticate')
      const head = { values, query, header: (name: string) => ctx.get(name) }
      body = await this.#readBody(ctx, endpoint, { ...base, actor, cause }, head)
      if (showsCredentials(body.params)) actor = this.#actorOf(ctx, endpoint, base, merge(query, body.params))
      if (observed) reportBody(observed, actor, body)
      checkTokenScope(endpoint.token, actor, READS.has(ctx.method))
      if (!READS.has(ctx.method) && !endpoint.whileBarred && !isSigningIn(endpoint))
        this.#options.checkWrite({ ...base, actor })
      const request: Ctx = { ...base, actor, cause }
      const pure =
        watch !== undefined &&
        body.files.length === 0 &&
        isEmpty(body.params) &&
        !endpoint.scope?.isExternallyDecided?.(request)
      if (pure) this.#limits.check(ctx, endpoint, request, { ...query, ...values })
      const cached = pure ? this.#kept.get(request, ctx.url) : undefined
      if (cached) return sendKept(ctx, cached)
      const keep = pure ? watch : undefined
      const exchange = { client, values, given: merge(query, body.params), bytes: body.bytes, keep }
      if (READS.has(ctx.method)) await this.#perform(ctx, endpoint, request, exchange)
      else {
        await base.events.duringRequest(cause, () => this.#perform(ctx, endpoint, request, exchange))
        await base.db.stored()
      }
    } catch (error) {
      const input = merge(parseForm(ctx.querystring), body?.params ?? {})
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
      ...(limit ? { maxFileBytes: limit.most, tooLarge: limit.tooLarge } : {}),
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
      given: Nested
      bytes: Buffer | undefined
      /** Records the tables that the answer is computed from, if it may be cached. */
      keep: ReadWatch | undefined
    },
  ): Promise<void> {
    const { scope } = endpoint
    const observed = observedIn(ctx)
    // An anonymous caller gets 401 before parameters and owner are checked (spec rest-api, Errors).
    if (base.actor.kind === 'anonymous' && needsSignIn(endpoint, !READS.has(ctx.method)))
      throw fail('unauthorized')
    // Query and body cannot override values of the path.
    const params = this.#validatorOf(endpoint).check(Object.assign(input.given, input.values))
    observed?.checked(this.#validatorOf(endpoint).shape)
    const owner = scope ? loadScope(ctx, scope, base, input.values[scope.param]!) : undefined
    const decision = scope?.admits?.(base, owner)
    if (decision) {
      input.keep?.add('every')
      await decision
    }
    observed?.ended('scope')
    authorize(endpoint, base, owner, !READS.has(ctx.method))
    observed?.ended('authorize')
    if (!input.keep) this.#limits.check(ctx, endpoint, base, { ...input.values, ...params })
    const paging = endpoint.returns.list ? readPaging(endpoint.returns.list, params) : undefined
    const http = exchangeOf(ctx, input.client, input.bytes, input.given)
    const full = { ...base, params, paging, http, ...(scope ? { [scope.name]: owner } : {}) }
    const result = endpoint.run(full as never)
    // An asynchronous `run` may read git, and changes of git are recorded in other tables. So the answer depends on all
    // tables.
    if (result instanceof Promise) input.keep?.add('every')
    const out = await result
    observed?.ended('run')
    this.#present(ctx, endpoint, base, { out, paging, values: input.values, keep: input.keep })
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
      sendRaw(ctx, result.out as RawAnswer)
    } else {
      const presented = this.#show(ctx, endpoint, base, result)
      const text = presented.encoded?.body ?? JSON.stringify(presented.value)
      const etag = endpoint.volatile ? '' : (presented.encoded?.etag ?? etagOf(text))
      if (presented.encoded && typeof text === 'string')
        Object.assign(presented.encoded, { body: Buffer.from(text), etag })
      ctx.set(presented.headers)
      if (result.keep !== undefined && typeof text === 'string')
        this.#kept.keep(base, ctx.url, result.keep, { body: text, etag, headers: presented.headers })
      if (isOutsideApi(endpoint.path)) ctx.set('Poll-Interval', String(this.#options.pollInterval()))
      sendJson(ctx, text, { volatile: endpoint.volatile, etag, type: endpoint.format?.type })
    }
  }

  #show(
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
    if (endpoint.returns.kind !== 'page') return { value: show(result.out), headers: {} }
    const paging = result.paging!
    const page = result.out as Rows<{ id: number }>
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
      throw new Error(`${endpoint.route} answered against its declaration: ${parsed.error?.message}`)
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
    if (answer.status === 507) base.log.error({ err: error, route: endpoint.route }, 'the disk refused')
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
 * The result of `run`, and the data that its presentation needs. `keep` records the tables that the answer of a pure
 * endpoint is computed from.
 */
interface Result {
  readonly out: unknown
  readonly paging: Paging | undefined
  readonly values: Readonly<Record<string, string>>
  readonly keep: ReadWatch | undefined
}

/** The status of a successful answer: the declared one, or a declared alternative that the endpoint has set. */
function answerStatus(ctx: Context, endpoint: Endpoint, { config }: Ctx): number {
  const status = (ctx.state['status'] as number | undefined) ?? endpoint.returns.status
  if (config.strict && status !== endpoint.returns.status && !(status in endpoint.also))
    throw new Error(`${endpoint.route} answered ${status}, which it does not declare`)
  return status
}

/** Applications always get tokens, because users sign in with them. */
function isSigningIn({ path }: Endpoint): boolean {
  return path.startsWith('/oauth/')
}

/** The actor, when the throttle has already resolved it. A job counts only where its token is accepted. */
function knownActor(ctx: Context, endpoint: Endpoint): Actor | undefined {
  const actor = ctx.state['actor'] as Actor | undefined
  if (
    !actor ||
    endpoint.ignoresCredentials ||
    (actor.kind === 'user' && (actor.sudo_by !== undefined || actor.job))
  )
    return undefined
  return actor
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

function sendKept(ctx: Context, cached: KeptAnswer): void {
  observedIn(ctx)?.answeredFromCache()
  ctx.status = 200
  ctx.set(cached.headers)
  sendJson(ctx, cached.body, { volatile: false, etag: cached.etag })
}
