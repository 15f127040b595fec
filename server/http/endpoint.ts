import type { Ctx } from '../ctx.ts'
import type { Ability, Openness, Scope } from '../policy/ability.ts'
import type { TokenScope } from '../policy/actor.ts'
import type { Limit } from './limit.ts'
import type { Nested } from './request/nesting.ts'
import type { ParamShape, Values } from './param.ts'
import type { Returns, Paging } from './returns.ts'

/** HTTP methods of the contract. HEAD and OPTIONS are answered without a declaration. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Method and path, such as `GET /projects/:id` (below `/api/v4`), `GET /-/session` (for the window), `POST /oauth/token`. */
export type Route = `${Method} /${string}`

export type Shape = ParamShape

/** A rule about several parameters, with the contract's sentences (spec core 8.2). */
export interface ParameterRule {
  readonly rule: 'at_least_one' | 'exactly_one' | 'exclusive' | 'all_or_none'
  readonly names: readonly string[]
}

/** The HTTP request and response, for the few endpoints that need them (signing in, conditional deletes, raw bytes). */
export interface Exchange {
  readonly method: string
  readonly ip: string
  /** True for a request over TLS, to the server or to a trusted proxy. */
  readonly secure: boolean
  /** Path and query as sent. */
  readonly target: string
  /** All parameters as sent, also undeclared ones (a webhook's payload). */
  readonly rawParams: Readonly<Record<string, unknown>>
  header(name: string): string
  cookie(name: string): string | undefined
  /** Sets a response header. */
  set(name: string, value: string): void
  /**
   * Sets a success status other than that of `returns`, for endpoints with two (a dry run, a text with only quick
   * actions).
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

/** A request before its body is read. Nothing in it is checked yet. */
export interface RequestHead {
  /** Decoded path parameters. */
  readonly values: Readonly<Record<string, string>>
  readonly query: Nested
  header(name: string): string
}

/** The maximum size of a file in bytes, and the sentence of the 413 for a larger one. */
export interface FileLimit {
  readonly maxBytes: number
  readonly tooLarge?: string
}

/** The answer format of endpoints that another standard defines (SCIM). */
export interface AnswerFormat {
  /** Media type of answers and refusals. Requests may have any JSON type. */
  readonly type: string
  /** Converts the API's error body to this format. */
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
  /** The sentence of a 403 for a caller without the ability of `can`, where the contract requires one. */
  readonly forbiddenMessage?: string
  readonly params?: P
  readonly parameterRules?: readonly ParameterRule[]
  /** Expected refusals other than the standard ones: status and sentence. */
  readonly fails?: Readonly<Partial<Record<number, string>>>
  /** Token scopes that are sufficient, in addition to `api` (and `read_api` for reads). `any`: every valid token. */
  readonly token?: readonly (TokenScope | 'any')[]
  /** The maximum size of the body in bytes (default 1 MB; files are limited by settings, or by `files`). */
  readonly maxBody?: number
  /**
   * The size limit of a file, for endpoints with a limit of their own. The function is called before the body is read,
   * with the actor of the headers and the query. It may throw to refuse the request.
   */
  readonly files?: (ctx: Ctx, requestHead: RequestHead) => FileLimit
  /** Path parameters that may contain unencoded slashes; the shortest match wins. */
  readonly slashParams?: readonly string[]
  /** The body is bytes instead of parameters: `ctx.http.bytes`, at most `maxBody` of them. */
  readonly takesBytes?: boolean
  /** The answer of a GET is not cached and has no ETag; the default for paths outside the API. */
  readonly volatile?: boolean
  /**
   * The answer of a GET depends only on the database, the actor, the URL and the day (not on git, the clock or random
   * values). It is cached until one of the tables that it was computed from changes; if `run` is asynchronous, until any
   * table changes.
   */
  readonly pure?: boolean
  /** Ignores the usual credentials, so the actor is anonymous. OAuth clients send credentials of another kind. */
  readonly ignoresCredentials?: boolean
  /** Users may call the endpoint before they have changed an expired password or accepted the terms. */
  readonly allowsRestrictedSession?: boolean
  /** Accepts the token of a running CI job, which acts as the user who started the job (spec ci 0.2). */
  readonly jobToken?: boolean
  /** Rate limit per caller; more requests get 429. A `pure` endpoint is counted with the parameters as sent. */
  readonly limit?: Limit
  /** Every error body has its text under `message`, also for parameter errors (spec ci 7.3). */
  readonly errorsAsMessage?: boolean
  /** The answer format, where another standard defines it. */
  readonly format?: AnswerFormat
  /** Status of a HEAD, where it differs from that of the GET. */
  readonly head?: 204
  readonly returns: Returns<Out>
  /** Other success statuses, which `http.status` or a raw answer sets, with a description of when they occur. */
  readonly otherStatuses?: Readonly<Partial<Record<200 | 201 | 202 | 204 | 206, string>>>
  readonly run: (ctx: RunContext<S, P>) => Out | Promise<Out>
}

/** A declared endpoint, with the defaults of its declaration filled in. */
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
  readonly parameterRules: readonly ParameterRule[]
  readonly fails: Readonly<Partial<Record<number, string>>>
  readonly token: readonly (TokenScope | 'any')[]
  readonly maxBody: number
  readonly files: ((ctx: Ctx, requestHead: RequestHead) => FileLimit) | undefined
  readonly forbiddenMessage: string | undefined
  readonly slashParams: readonly string[]
  readonly takesBytes: boolean
  readonly volatile: boolean
  readonly pure: boolean
  readonly ignoresCredentials: boolean
  readonly allowsRestrictedSession: boolean
  readonly jobToken: boolean
  readonly limit: Limit | undefined
  readonly errorsAsMessage: boolean
  readonly format: AnswerFormat | undefined
  readonly head: 204 | undefined
  readonly returns: Returns
  readonly otherStatuses: Readonly<Partial<Record<number, string>>>
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
  return withDefaults(route, declaration, {
    scope: declaration.scope as Scope | undefined,
    can: declaration.can as Ability | Openness,
    run: declaration.run as unknown as (ctx: never) => unknown,
  })
}

/** The argument of `run` of an endpoint that is generic in the owner. The owner is under the name of its scope. */
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
 * Declares one endpoint in a function that is generic in the owner. `endpoint` cannot check types there, because the
 * owner is not known yet.
 */
export function ownedEndpoint<Name extends string, Owner, const P extends Shape = Shape, Out = unknown>(
  route: Route,
  declaration: OwnedDeclaration<Name, Owner, P, Out>,
): Endpoint {
  const { scope, can, run, ...rest } = declaration
  return withDefaults(route, rest, { scope: scope as Scope | undefined, can: can as Ability | Openness, run })
}

function withDefaults<P extends Shape, Out>(
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
    parameterRules: declaration.parameterRules ?? [],
    fails: declaration.fails ?? {},
    token: declaration.token ?? [],
    maxBody: declaration.maxBody ?? DEFAULT_MAX_BODY,
    files: declaration.files,
    slashParams: declaration.slashParams ?? [],
    takesBytes: declaration.takesBytes ?? false,
    forbiddenMessage: declaration.forbiddenMessage,
    // A page of the window may have the same URL, and the browser's back button must not show a cached answer instead.
    volatile: declaration.volatile ?? isOutsideApi(path),
    pure: declaration.pure ?? false,
    ignoresCredentials: declaration.ignoresCredentials ?? false,
    allowsRestrictedSession: declaration.allowsRestrictedSession ?? false,
    jobToken: declaration.jobToken ?? false,
    limit: declaration.limit,
    errorsAsMessage: declaration.errorsAsMessage ?? false,
    format: declaration.format,
    head: declaration.head,
    returns: declaration.returns as Returns,
    otherStatuses: declaration.otherStatuses ?? {},
    ...bound,
  }
}

/** True for a declared endpoint, to find endpoints among the exports of a module. */
export function isEndpoint(value: unknown): value is Endpoint {
  return typeof value === 'object' && value !== null && (value as { endpoint?: unknown }).endpoint === true
}

/** True for a declared path that is not below `/api/v4`: a path of the window, or one that another standard defines. */
export function isOutsideApi(path: string): boolean {
  return /^\/(-|oauth|\.well-known|api\/scim)\//.test(path)
}

/** At least one of these parameters is required. */
export function atLeastOne(...names: string[]): ParameterRule {
  return { rule: 'at_least_one', names }
}
/** Exactly one of these parameters is required. */
export function exactlyOne(...names: string[]): ParameterRule {
  return { rule: 'exactly_one', names }
}
/** At most one of these parameters is allowed. */
export function exclusive(...names: string[]): ParameterRule {
  return { rule: 'exclusive', names }
}
/** These parameters are only allowed together. */
export function allOrNone(...names: string[]): ParameterRule {
  return { rule: 'all_or_none', names }
}

/** Throws if the endpoint does not declare a status. 304 is possible everywhere. */
export function requireDeclared({ route, returns, otherStatuses, fails }: Endpoint, status: number): void {
  if (status === returns.status || status === 304 || status in otherStatuses || status in fails) return
  throw new Error(`${route} answered ${status}, which it does not declare`)
}
