import type { Step } from '../../../../observer.ts'
import type { Actor, UserActor } from '../../../../policy/actor.ts'
import type { Slot } from './arena.ts'
import type { AnswerHeaders } from './shared.ts'

// Recording must be cheap, and objects that outlive a request are the most expensive part. So records have few objects:
// numbers are in arrays of numbers, headers stay the flat list that Node returns, and empty lists are one shared list.

/** A git command, without its arguments. */
export interface GitRun {
  readonly operation: string
  readonly repository: string | null
  readonly command: string
  readonly code: number | null
  readonly at: number
  readonly ms: number
  readonly queued_ms: number
}

/** Statements and git commands of a request or job; the lists are bounded, the counts are not. */
export interface WorkRecord {
  statements: readonly string[]
  /** For each statement, its start after the start of the request and its duration, in milliseconds. */
  statement_times: readonly number[]
  statement_count: number
  statement_ms: number
  git: readonly GitRun[]
  git_count: number
  git_ms: number
}

/** An event that the request caused. `job` is the ID of the job that published it; null for the request itself. */
export interface EventNode {
  readonly id: number
  readonly name: string
  readonly payload: string
  readonly job: number | null
  readonly at: number
}

/** A stored job. `begun` becomes true when the job runs. */
export interface PlannedJob {
  readonly name: string
  readonly args: string
  readonly event: number | null
  readonly job: number | null
  readonly at: number
  begun: boolean
}

/** A job that the request caused and that runs or ran. `id` is the ID of the stored job. */
export interface JobNode extends WorkRecord {
  readonly id: number
  readonly name: string
  /** The IDs of the events that it handles. `job` is the ID of the job that stored it. */
  readonly events: readonly number[]
  readonly job: number | null
  readonly at: number
  attempts: number
  state: 'running' | 'done' | 'failed'
  ms: number | null
  error: string | null
}

/** Data about an endpoint that all its requests share. */
export interface EndpointInfo {
  /** `GET /projects/:id`. */
  readonly route: string
  readonly path_names: readonly string[]
  readonly isList: boolean
  /** The whole endpoint is deprecated. */
  readonly isDeprecated: boolean
  readonly deprecated: readonly string[]
  /** The names of all its parameters; null until a request was validated. */
  names: readonly string[] | null
}

/** Names and values alternate, as in Node's `rawHeaders`. */
export type FlatHeaders = readonly string[]

/** The data of an actor that records have. */
export interface RecordedActor {
  readonly kind: Actor['kind']
  readonly id: number | null
  readonly username: string | null
  readonly token_id: number | null
  /** The administrator who acted as this user. */
  readonly sudo_by: number | null
  readonly via: UserActor['via'] | null
}

/** The record of one request. */
export interface RequestRecord extends WorkRecord {
  /** Counts up from 1. */
  readonly id: number
  readonly request_id: string
  /** The UUID by which later jobs refer to this request as their cause. */
  readonly cause: string
  readonly method: string
  /** The path and query. Until `isClean`, they may contain secrets; the headers likewise. */
  target: string
  headers: FlatHeaders
  ip: string
  /** Milliseconds since the start of the process; negative for requests of an earlier process. */
  readonly start: number
  endpoint: EndpointInfo | null
  route: string | null
  actor: RecordedActor | null
  /** The request has a credential, valid or not. False until `isClean`. */
  isSigned: boolean
  /** A fingerprint of the credential, to recognize the same client again. Empty until `isClean`. */
  client: string
  /** True when the secrets are masked. The ring masks them before it returns a record. */
  isClean: boolean
  /** The end of each step, in the order of `STEPS`. */
  step_times: number[]
  cached: boolean
  /** Names of the body's parameters. */
  body_names: readonly string[]
  body: Slot | null
  status: number
  ms: number
  /** Empty until `isClean`. */
  answer_headers: FlatHeaders
  /** The headers of the answer until `isClean`; then null. */
  shared_headers: AnswerHeaders | null
  answer: Slot | null
  /** The reason why no body is recorded. */
  answer_note: 'none' | 'stream' | 'raw' | 'large' | null
  /** True if the owner exists although the answer was 404. */
  hidden: boolean
  events: readonly EventNode[]
  planned: readonly PlannedJob[]
  jobs: readonly JobNode[]
  /** Estimate of the memory that the record takes. */
  bytes: number
  /** `held`: in the ring. A dropped request is not counted. */
  state: 'open' | 'held' | 'dropped'
}

/** The steps of the pipeline. A refused request has only the first ones. */
export const STEPS: readonly Step[] = [
  'authenticate',
  'receive',
  'params',
  'scope',
  'authorize',
  'run',
  'present',
]

/** The empty list that all records share. */
export const NONE: readonly never[] = []

/** Appends to a list that begins as `NONE`. */
export function append<T>(list: readonly T[], entry: T): readonly T[] {
  if (list.length === 0) return [entry]
  ;(list as T[]).push(entry)
  return list
}

/** The value of a header; undefined without it. */
export function headerOf(headers: FlatHeaders, name: string): string | undefined {
  for (let index = 0; index < headers.length; index += 2)
    if (headers[index]!.toLowerCase() === name) return headers[index + 1]
  return undefined
}

export function emptyWork(): WorkRecord {
  return {
    statements: NONE,
    statement_times: NONE,
    statement_count: 0,
    statement_ms: 0,
    git: NONE,
    git_count: 0,
    git_ms: 0,
  }
}
