import type { Ctx } from '../ctx.ts'
import type { LocalCalls } from '../local-calls.ts'
import { fail, notFound } from '../lib/fail.ts'
import { canRead } from '../policy/ability.ts'
import { authorize } from './authorize.ts'
import type { Endpoint, Exchange } from './endpoint.ts'
import type { Presentation } from './entity.ts'
import type { Nested } from './request/nesting.ts'
import { readPaging } from './paging.ts'
import type { Rows } from './returns.ts'
import { validatorOf, type Validator } from './validate.ts'

const NO_BYTES = Buffer.alloc(0)

/** Calls declared endpoints inside the process: parseParams → loadScope → authorize → run → present. */
export class EndpointCalls implements LocalCalls {
  readonly #endpoints: ReadonlyMap<string, Endpoint>
  readonly #presented: () => Pick<Presentation, 'cloneUrl' | 'inHours'>
  readonly #validators = new Map<Endpoint, Validator>()

  constructor(endpoints: readonly Endpoint[], presented: () => Pick<Presentation, 'cloneUrl' | 'inHours'>) {
    this.#endpoints = new Map(endpoints.map((endpoint) => [endpoint.route, endpoint]))
    this.#presented = presented
  }

  async call<Answer>(ctx: Ctx, route: string, given: Readonly<Record<string, unknown>>): Promise<Answer> {
    const one = this.#find(route)
    const perform = () => this.#perform(ctx, one, given)
    const answer =
      one.method === 'GET' || ctx.cause === null
        ? await perform()
        : await ctx.events.duringRequest(ctx.cause, perform)
    return answer as Answer
  }

  problems(route: string, given: Readonly<Record<string, unknown>>): Record<string, string> {
    const { params } = this.#find(route)
    const found: Record<string, string> = {}
    for (const [name, value] of Object.entries(given)) {
      const type = Object.hasOwn(params, name) ? params[name] : undefined
      const error = type ? type.safeParse(value).error : undefined
      if (!type) found[name] = 'is not known'
      else if (error && !(value === null && type.isNullable)) found[name] = error.issues[0]!.message
    }
    return found
  }

  names(route: string): string[] {
    return Object.keys(this.#find(route).params)
  }

  #find(route: string): Endpoint {
    const one = this.#endpoints.get(route)
    if (!one) throw new Error(`No endpoint is declared as ${route}.`)
    return one
  }

  async #perform(ctx: Ctx, one: Endpoint, given: Readonly<Record<string, unknown>>): Promise<unknown> {
    const { scope } = one
    const isWrite = one.method !== 'GET'
    const params = this.#validatorOf(one).check({ ...given } as Nested)
    const owner = scope ? scope.load(ctx, String(given[scope.param])) : undefined
    if (scope && (owner === undefined || !canRead(ctx, scope, owner))) throw notFound(scope.title)
    await scope?.admits?.(ctx, owner)
    if (one.can !== 'anyone' && ctx.actor.kind === 'anonymous') throw fail('unauthorized')
    authorize(one, ctx, owner, isWrite)
    const paging = one.returns.list ? readPaging(one.returns.list, params) : undefined
    const http = exchange(ctx, one, given)
    const full = { ...ctx, params, paging, http, ...(scope ? { [scope.name]: owner } : {}) }
    return this.#show(ctx, one, await (one.run as (ctx: object) => unknown)(full))
  }

  #show(ctx: Ctx, one: Endpoint, out: unknown): unknown {
    const view = one.returns.entity
    if (!view) return undefined
    const { url, sshPort } = ctx.config
    const at = { url, sshPort, now: ctx.now, ...this.#presented() }
    const present = view.present as (row: unknown, at: Presentation) => unknown
    if (one.returns.kind !== 'page') return present(out, at)
    return (out as Rows<unknown>).rows.map((row) => present(row, at))
  }

  #validatorOf(one: Endpoint): Validator {
    const known = this.#validators.get(one)
    if (known) return known
    const validator = validatorOf(one)
    this.#validators.set(one, validator)
    return validator
  }
}

function exchange(ctx: Ctx, { method, path }: Endpoint, given: Readonly<Record<string, unknown>>): Exchange {
  return {
    method,
    ip: '127.0.0.1',
    secure: false,
    target: path,
    given,
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
