import type { GitOperation } from './git/types.ts'
import type { Endpoint } from './http/endpoint.ts'
import type { Actor } from './policy/actor.ts'

/** The steps of the pipeline that are timed. `receive` reads the body. */
export type Step = 'authenticate' | 'receive' | 'params' | 'scope' | 'authorize' | 'run' | 'present'

/** The data of a declared endpoint that an observer needs. */
export type ObservedEndpoint = Endpoint

/** A request as it arrived, before any check. */
export interface ObservedHead {
  readonly id: string
  readonly method: string
  /** Path and query as sent. */
  readonly target: string
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** Names and values alternating. */
  readonly rawHeaders: readonly string[]
  readonly ip: string
  /** The time of its arrival (`performance.now()`). */
  readonly start: number
}

/** The headers of an answer, as Node's `ServerResponse` has them. */
export interface ObservedHeaders {
  getHeaderNames(): string[]
  getHeader(name: string): unknown
  hasHeader(name: string): boolean
}

/** The answer to an observed request. */
export interface ObservedAnswer {
  readonly status: number
  readonly headers: ObservedHeaders
  /** Milliseconds since the request began. */
  readonly ms: number
  readonly body: unknown
  /** Address of the client, behind trusted proxies too. */
  readonly ip: string
}

/** Records one request. The methods are called in the order of the pipeline. */
export interface RequestObserver {
  /** Runs the request, so that its statements, git commands and events are attributed to it. */
  during<T>(work: () => Promise<T>): Promise<T>
  matched(endpoint: ObservedEndpoint, values: Readonly<Record<string, string>>): void
  /** A web route answers the request; null when the route declined it. */
  routed(name: string | null): void
  actor(actor: Actor): void
  /** The parameters of the body. */
  received(params: Readonly<Record<string, unknown>>): void
  /** A step ended; it began with the end of the previous one. */
  ended(step: Step): void
  /** The parameters were checked. `names` has every parameter of the endpoint as a key. */
  checked(names: Readonly<Record<string, unknown>>): void
  /** The answer was cached, and the same object may be sent again. */
  answeredFromCache(): void
  close(answer: ObservedAnswer): void
}

/** A run of a stored job. */
export interface ObservedJob {
  readonly id: number
  readonly name: string
  readonly args: string
  readonly attempts: number
  readonly cause: string | null
}

/**
 * Receives reports of the kernel while it is set as the observer of the instance. It never receives parameters of
 * statements. Of a transaction that was rolled back it receives only the statements.
 */
export interface Observer {
  /** Returns undefined for a request that is not recorded. */
  request(head: ObservedHead): RequestObserver | undefined
  job<T>(job: ObservedJob, work: () => T): T
  /** Runs work that belongs to no request, although a request may have started it. */
  withoutRequest<T>(work: () => T): T
  /** A statement ended that began at `start` (`performance.now()`). */
  statement(sql: string, start: number, ms: number): void
  git(operation: GitOperation): void
  /** An event was committed. `jobs` are the names of the jobs of its subscribers. */
  published(name: string, payload: unknown, jobs: readonly string[]): void
  /** A job was stored that is not the job of a subscriber. */
  enqueued(name: string, args: string): void
}

/** Holds the observer of an instance. Without an observer, the kernel only checks for null. */
export class Observation {
  observer: Observer | null = null
}
