import type { Ctx } from '../ctx.ts'
import type { Ability, Openness, Scope } from '../policy/ability.ts'
import type { TokenScope } from '../policy/actor.ts'
import type { Limit } from './limit.ts'
import type { Nested } from './request/nesting.ts'
import type { ParamShape, Values } from './param.ts'
import type { Returns, Paging } from './returns.ts'

/** HTTP methods of the contract. HEAD and OPTIONS follow from the others. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** `GET /projects/:id` below `/api/v4`, `GET /-/session` for the window alone, `POST /oauth/token`. */
export type Route = `${Method} /${string}`

export type Shape = ParamShape

/** A rule about several parameters, with the contract's sentences (spec core 8.2). */
export interface ParameterRule {
  readonly rule: 'at_least_one' | 'exactly_one' | 'exclusive' | 'all_or_none'
  readonly names: readonly string[]
}

/** The parts of the HTTP exchange that a few endpoints need (signing in, conditional deletes, raw ranges). */
export interface Exchange {
  readonly method: string
  readonly ip: string
  /** True for a request over TLS, to the server or to a trusted proxy. */
  readonly secure: boolean
  /** Path and query as sent. */
  readonly target: string
  /** All parameters as sent, also undeclared ones (a webhook's payload). */
  readonly given: Readonly<Record<string, unknown>>
  header(name: string): string
  cookie(name: string): string | undefined
  /** Sets a response header. */
  set(name: string, value: string): void
  /**
   * Sets a status other than the declared one, if the contract has two successful ones (a dry run, a text with only
   * quick actions).
   */
  status(code: 200 | 201 | 202): void
  /** DELETE: refuses with 412 when the caller's `If-Unmodified-Since` is older than `updatedAt`. */
  unmodifiedSince(updatedAt: string): void
  /** The body of an endpoint with `takesBytes`; empty for all others. */
  readonly bytes: Buffer
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
  /** Runs `work` after the answer is sent or the client has disconnected. */
  onEnd(work: () => void): void
}

/** A request before its body is read; nothing of it is checked. */
export interface RequestHead {
  /** Decoded path parameters. */
  readonly values: Readonly<Record<string, string>>
  readonly query: Nested
  header(name: string): string
}

/** The maximum size of a file in bytes, and the sentence of the 413 for a larger one. */
export interface FileLimit {
  readonly most: number
  readonly tooLarge?: string
}

/** The answer format of endpoints that another standard defines (SCIM). */
export interface AnswerFormat {
  /** Media type of answers and refusals. Requests may have any JSON type. */
  readonly type: string
  /** Converts the API's body of a refusal. */
  refusal(status: number, body: unknown): unknown
}

/** The argument of `run`: the context, the loaded owner under its scope's name, and the checked parameters. */
export type RunContext<S extends Scope | undefined, P extends Shape> = Ctx & {
  readonly params: Values<P>
  readonly paging: Paging
  readonly http: Exchange
} & (S extends Scope<infer Name, infer Owner> ? { readonly [K in Name]: Owner } : unknown)

/** The declaration of one endpoint. */
export interface Declaration<S extends Scope | undefined, P extends Shape, Out> {
  readonly summary: string
  /** The owner in the path; 404 when the actor may not read it. */
  readonly scope?: S
  /** Who may call it. A route without it does not compile. */
  readonly can: S extends Scope<string, infer Owner> ? Ability<Owner> | Openness : Openness
  /** The sentence of a 403 for a caller without the ability of `can`, where the contract has one. */
  readonly denied?: string
  readonly params?: P
  readonly together?: readonly ParameterRule[]
  /** Expected refusals other than the standard ones: status and sentence. */
  readonly fails?: Readonly<Partial<Record<number, string>>>
  /** Token scopes that suffice, in addition to `api` (and `read_api` for reads). `any`: every valid token. */
  readonly token?: readonly (TokenScope | 'any')[]
  /** The maximum size of the body in bytes (default 1 MB; files are limited by settings, or by `files`). */
  readonly maxBody?: number
  /**
   * The size limit of a file, where the limit of uploads does not apply. Called before the body is read; it may throw
   * to refuse the request. The actor is known from headers and query.
   */
  readonly files?: (ctx: Ctx, requestHead: RequestHead) => FileLimit
  /** Path parameters that may contain unencoded slashes; the shortest match wins. */
  readonly spans?: readonly string[]
  /** The body is bytes instead of parameters: `ctx.http.bytes`, at most `maxBody` of them. */
  readonly takesBytes?: boolean
  /** A GET without caching and ETag; the default for addresses outside of the API. */
  readonly volatile?: boolean
  /**
   * A GET that depends only on the database, the actor, the address and the day (not on git, the clock or chance). Its
   * answer is cached until one of the tables that it was computed from changes; if `run` is asynchronous, until any
   * table changes.
   */
  readonly pure?: boolean
  /** Ignores the usual credentials; the actor is anonymous (OAuth clients send their own). */
  readonly ignoresCredentials?: boolean
  /** Open to a session of a user who must first choose a new password or accept the terms. */
  readonly whileBarred?: boolean
  /** Takes the token of a running CI job, which acts as the user who started the job (spec ci 0.2). */
  readonly jobToken?: boolean
  /** Rate limit per caller; 429 beyond it. A `pure` endpoint counts by the parameters as sent. */
  readonly limit?: Limit
  /** Every refusal has its text under `message`, parameter errors too (spec ci 7.3). */
  readonly errorsAsMessage?: boolean
  /** Another answer format than the API's. */
  readonly format?: AnswerFormat
  /** Status of a HEAD, where it differs from the GET. */
  readonly head?: 204
  readonly returns: Returns<Out>
  /** Other good statuses, which `http.status` sets, and when they occur. */
  readonly also?: Readonly<Partial<Record<200 | 201 | 202, string>>>
  readonly run: (ctx: RunContext<S, P>) => Out | Promise<Out>
}

/** A declared endpoint as the kernel handles it. */
export interface Endpoint {
  readonly endpoint: true
  readonly method: Method
  /** The path with `:param` segments, as declared. */
  readonly path: string
  readonly route: Route
  readonly summary: string
  readonly scope: Scope | undefined
  readonly can: Ability | Openness
  readonly params: Shape
  readonly together: readonly ParameterRule[]
  readonly fails: Readonly<Partial<Record<number, string>>>
  readonly token: readonly (TokenScope | 'any')[]
  readonly maxBody: number
  readonly files: ((ctx: Ctx, requestHead: RequestHead) => FileLimit) | undefined
  readonly denied: string | undefined
  readonly spans: readonly string[]
  readonly takesBytes: boolean
  readonly volatile: boolean
  readonly pure: boolean
  readonly ignoresCredentials: boolean
  readonly whileBarred: boolean
  readonly jobToken: boolean
  readonly limit: Limit | undefined
  readonly errorsAsMessage: boolean
  readonly format: AnswerFormat | undefined
  readonly head: 204 | undefined
  readonly returns: Returns
  readonly also: Readonly<Partial<Record<number, string>>>
  readonly run: (ctx: never) => unknown
}

const DEFAULT_MAX_BODY = 1024 * 1024

/**
 * Declares one endpoint. Validation, error bodies, the permission check, the API description, the window's client
 * types, the ability table and the permission tests use this value.
 */
export function endpoint<
  S extends Scope | undefined = undefined,
  const P extends Shape = Shape,
  Out = unknown,
>(route: Route, declaration: Declaration<S, P, Out>): Endpoint {
  return described(route, declaration, {
    scope: declaration.scope as Scope | undefined,
    can: declaration.can as Ability | Openness,
    run: declaration.run as unknown as (ctx: never) => unknown,
  })
}

/** The argument of `run` of an owner-generic endpoint; the owner is under the name of its scope. */
export type OwnedContext<Name extends string, Owner, P extends Shape> = RunContext<undefined, P> & {
  readonly [Key in Name]: Owner
}

/** The declaration of an endpoint that several types of owner have, such as projects and groups. */
export interface OwnedDeclaration<Name extends string, Owner, P extends Shape, Out> extends Omit<
  Declaration<undefined, P, Out>,
  'scope' | 'can' | 'run'
> {
  /** Undefined for the instance as the owner; `Name` is `never` there. */
  readonly scope?: Scope<Name, Owner> | undefined
  readonly can: Ability<Owner> | Openness
  readonly run: (ctx: OwnedContext<Name, Owner, P>) => Out | Promise<Out>
}

/**
 * Declares one endpoint in a function that is generic in the owner, where the checks of `endpoint` cannot be resolved.
 */
export function ownedEndpoint<Name extends string, Owner, const P extends Shape = Shape, Out = unknown>(
  route: Route,
  declaration: OwnedDeclaration<Name, Owner, P, Out>,
): Endpoint {
  const { scope, can, run, ...rest } = declaration
  return described(route, rest, { scope: scope as Scope | undefined, can: can as Ability | Openness, run })
}

function described<P extends Shape, Out>(
  route: Route,
  declaration: Omit<Declaration<undefined, P, Out>, 'scope' | 'can' | 'run'>,
  bound: Pick<Endpoint, 'scope' | 'can' | 'run'>,
): Endpoint {
  const [method, path] = route.split(' ') as [Method, string]
  return {
    endpoint: true,
    method,
    path,
    route,
    summary: declaration.summary,
    params: declaration.params ?? {},
    together: declaration.together ?? [],
    fails: declaration.fails ?? {},
    token: declaration.token ?? [],
    maxBody: declaration.maxBody ?? DEFAULT_MAX_BODY,
    files: declaration.files,
    spans: declaration.spans ?? [],
    takesBytes: declaration.takesBytes ?? false,
    // A page of the window may have the same address; the browser's back button must not show this answer instead.
    denied: declaration.denied,
    volatile: declaration.volatile ?? isOutsideApi(path),
    pure: declaration.pure ?? false,
    ignoresCredentials: declaration.ignoresCredentials ?? false,
    whileBarred: declaration.whileBarred ?? false,
    jobToken: declaration.jobToken ?? false,
    limit: declaration.limit,
    errorsAsMessage: declaration.errorsAsMessage ?? false,
    format: declaration.format,
    head: declaration.head,
    returns: declaration.returns as Returns,
    also: declaration.also ?? {},
    ...bound,
  }
}

/** True for values made by `endpoint()`, to find them among a module's exports. */
export function isEndpoint(value: unknown): value is Endpoint {
  return typeof value === 'object' && value !== null && (value as { endpoint?: unknown }).endpoint === true
}

/** True for a declared path that is not below `/api/v4`: the window's own, and what other standards fix. */
export function isOutsideApi(path: string): boolean {
  return /^\/(-|oauth|\.well-known|api\/scim)\//.test(path)
}

/** At least one of these must be given. */
export function atLeastOne(...names: string[]): ParameterRule {
  return { rule: 'at_least_one', names }
}
/** Exactly one of these must be given. */
export function exactlyOne(...names: string[]): ParameterRule {
  return { rule: 'exactly_one', names }
}
/** At most one of these may be given. */
export function exclusive(...names: string[]): ParameterRule {
  return { rule: 'exclusive', names }
}
/** All of these or none. */
export function allOrNone(...names: string[]): ParameterRule {
  return { rule: 'all_or_none', names }
}
