import type { Ctx } from '../ctx.ts'
import type { LocalCalls } from '../local-calls.ts'
import { fail, notFound } from '../lib/fail.ts'
import { canRead } from '../policy/ability.ts'
import { authorize } from './authorize.ts'
import type { Endpoint, Exchange } from './endpoint.ts'
import type { EndpointSource } from './route-table.ts'
import type { Presentation } from './entity.ts'
import type { Nested } from './request/nesting.ts'
import { readPaging } from './paging.ts'
import type { Rows } from './returns.ts'
import { validatorOf, type Validator } from './validate.ts'

const NO_BYTES = Buffer.alloc(0)

/** Calls declared endpoints inside the process: parseParams → loadScope → authorize → run → present. */
export class EndpointCalls implements LocalCalls {
  readonly #endpoints: readonly EndpointSource[]
  /** The endpoints by route, since the first call. */
  #byRoute: ReadonlyMap<string, EndpointSource> | undefined
  readonly #presented: () => Pick<Presentation, 'cloneUrl' | 'inHours'>
  readonly #validators = new Map<Endpoint, Validator>()

  constructor(
    endpoints: readonly EndpointSource[],
    presented: () => Pick<Presentation, 'cloneUrl' | 'inHours'>,
  ) {
    this.#endpoints = endpoints
    this.#presented = presented
  }

  async call<Answer>(ctx: Ctx, route: string, input: Readonly<Record<string, unknown>>): Promise<Answer> {
    const endpoint = await this.#find(route)
    const perform = () => this.#perform(ctx, endpoint, input)
    const answer =
      endpoint.method === 'GET' || ctx.cause === null
        ? await perform()
        : await ctx.events.duringRequest(ctx.cause, perform)
    return answer as Answer
  }

  async problems(route: string, input: Readonly<Record<string, unknown>>): Promise<Record<string, string>> {
    const { params } = await this.#find(route)
    const errors: Record<string, string> = {}
    for (const [name, value] of Object.entries(input)) {
      const type = Object.hasOwn(params, name) ? params[name] : undefined
      const error = type ? type.safeParse(value).error : undefined
      if (!type) errors[name] = 'is not known'
      else if (error && !(value === null && type.isNullable)) errors[name] = error.issues[0]!.message
    }
    return errors
  }

  async #find(route: string): Promise<Endpoint> {
    this.#byRoute ??= new Map(this.#endpoints.map((endpoint) => [endpoint.route, endpoint]))
    const source = this.#byRoute.get(route)
    if (!source) throw new Error(`No endpoint is declared as ${route}.`)
    return source.load()
  }

  async #perform(ctx: Ctx, endpoint: Endpoint, input: Readonly<Record<string, unknown>>): Promise<unknown> {
    const { scope } = endpoint
    const isWrite = endpoint.method !== 'GET'
    const params = this.#validatorOf(endpoint).check({ ...input } as Nested)
    const owner = scope ? scope.load(ctx, String(input[scope.param])) : undefined
    if (scope && (owner === undefined || !canRead(ctx, scope, owner))) throw notFound(scope.title)
    await scope?.admits?.(ctx, owner)
    if (endpoint.can !== 'anyone' && ctx.actor.kind === 'anonymous') throw fail('unauthorized')
    authorize(endpoint, ctx, owner, isWrite)
    const paging = endpoint.returns.list ? readPaging(endpoint.returns.list, params) : undefined
    const http = exchange(ctx, endpoint, input)
    const runContext = { ...ctx, params, paging, http, ...(scope ? { [scope.name]: owner } : {}) }
    return this.#present(ctx, endpoint, await (endpoint.run as (ctx: object) => unknown)(runContext))
  }

  #present(ctx: Ctx, endpoint: Endpoint, result: unknown): unknown {
    const view = endpoint.returns.entity
    if (!view) return undefined
    const { url, sshPort } = ctx.config
    const at = { url, sshPort, now: ctx.now, ...this.#presented() }
    const present = view.present as (row: unknown, at: Presentation) => unknown
    if (endpoint.returns.kind !== 'page') return present(result, at)
    return (result as Rows<unknown>).rows.map((row) => present(row, at))
  }

  #validatorOf(endpoint: Endpoint): Validator {
    const cached = this.#validators.get(endpoint)
    if (cached) return cached
    const validator = validatorOf(endpoint)
    this.#validators.set(endpoint, validator)
    return validator
  }
}

function exchange(ctx: Ctx, { method, path }: Endpoint, input: Readonly<Record<string, unknown>>): Exchange {
  return {
    method,
    ip: '127.0.0.1',
    secure: false,
    target: path,
    rawParams: input,
    bytes: NO_BYTES,
    header: () => '',
    cookie: () => undefined,
    set: () => undefined,
    status: () => undefined,
    unmodifiedSince: () => undefined,
    signal: ctx.signal,
    onEnd: () => undefined,
  }
}
