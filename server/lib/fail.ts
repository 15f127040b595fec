/**
 * Expected failures. Services and stores throw them; only `http/answer/errors.ts` maps each kind to a status.
 * Anything else that is thrown is a programming error and becomes an opaque 500 with a logged id.
 */
export type FailureKind =
  | 'moved'
  | 'not_modified'
  | 'bad_request'
  | 'parameter'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'not_allowed'
  | 'not_acceptable'
  | 'conflict'
  | 'gone'
  | 'precondition_failed'
  | 'too_large'
  | 'unsupported_type'
  | 'range_not_satisfiable'
  | 'unprocessable'
  | 'locked'
  | 'too_many'
  | 'client_left'
  | 'unavailable'
  | 'no_storage'

/** The message of the body: a sentence, a list of sentences, or sentences by field. */
export type FailureMessage =
  | string
  | readonly string[]
  | { readonly [field: string]: readonly string[] | string }

export class Failure extends Error {
  readonly kind: FailureKind
  /** Sent as `{"message": …}` (kind `parameter`: `{"error": …}`). */
  readonly detail: FailureMessage | undefined
  /** A complete body, if the contract has another shape (such as OAuth). */
  readonly body: Readonly<Record<string, unknown>> | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(
    kind: FailureKind,
    detail?: FailureMessage,
    options: { body?: Record<string, unknown>; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(
      typeof detail === 'string' ? detail : kind,
      options.cause === undefined ? undefined : { cause: options.cause },
    )
    this.name = 'Failure'
    this.kind = kind
    this.detail = detail
    this.body = options.body
    this.headers = options.headers ?? {}
  }
}

/** An expected failure to throw: `throw fail('conflict', 'Release already exists')`. */
export function fail(kind: FailureKind, detail?: FailureMessage): Failure {
  return new Failure(kind, detail)
}

/** The 404 of the contract: `404 Branch Not Found`, or `404 Not Found` without a noun. */
export function notFound(noun?: string): Failure {
  return new Failure('not_found', noun ? `404 ${noun} Not Found` : '404 Not Found')
}

/** A model validation error, `{"message": {"field": ["text"]}}`, status 400 (spec core 8.1). */
export function invalid(fields: Record<string, readonly string[] | string>): Failure {
  const lists = Object.entries(fields).map(([field, texts]) => [
    field,
    typeof texts === 'string' ? [texts] : texts,
  ])
  return new Failure('bad_request', Object.fromEntries(lists) as Record<string, string[]>)
}

/**
 * A problem that stops the start: one plain sentence for the user, the exit code of the process, and a kind that
 * callers can act on.
 */
export class StartupError extends Error {
  readonly exitCode: number
  readonly reason: 'port_taken' | 'git' | 'other'

  constructor(message: string, exitCode = 1, reason: StartupError['reason'] = 'other') {
    super(message)
    this.name = 'StartupError'
    this.exitCode = exitCode
    this.reason = reason
  }
}
