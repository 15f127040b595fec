import { UniqueViolation } from '../../db/constraints.ts'
import { Failure, type FailureKind } from '../../lib/fail.ts'
import { storageProblem } from '../../lib/files/storage-problem.ts'

/** The status of each kind of failure, and the default sentence of its body (spec core 8.3). */
const STATUS: Readonly<Record<FailureKind, readonly [number, string]>> = {
  moved: [301, 'This resource has been moved permanently'],
  not_modified: [304, ''],
  parameter: [400, 'a parameter is invalid'],
  bad_request: [400, '400 Bad request'],
  unauthorized: [401, '401 Unauthorized'],
  forbidden: [403, '403 Forbidden'],
  not_found: [404, '404 Not Found'],
  not_allowed: [405, '405 Method Not Allowed'],
  not_acceptable: [406, '406 Not Acceptable'],
  conflict: [409, '409 Conflict'],
  gone: [410, '410 Gone'],
  precondition_failed: [412, '412 Precondition Failed'],
  too_large: [413, '413 Request Entity Too Large'],
  unsupported_type: [415, 'The provided content-type is not supported.'],
  range_not_satisfiable: [416, '416 Range Not Satisfiable'],
  unprocessable: [422, '422 Unprocessable Entity'],
  locked: [423, '423 Locked'],
  too_many: [429, 'Retry later'],
  // This status appears only in the log.
  client_left: [499, 'Client Closed Request'],
  unavailable: [503, '503 Service Unavailable'],
  no_storage: [507, '507 Insufficient Storage'],
}

/** The answer to an error. */
export interface ErrorAnswer {
  readonly status: number
  readonly body: unknown
  /** Sent as plain text instead of the body, where the contract says so. */
  readonly text?: string
  readonly headers: Readonly<Record<string, string>>
  /** True for a programming error, which is logged with its stack and the request id. */
  readonly unexpected: boolean
}

/** The status of a kind of failure. */
export function statusOf(kind: FailureKind): number {
  return STATUS[kind][0]
}

/** Converts any error to an answer in the API's own body shapes (spec core 8.1). */
export function errorAnswer(error: unknown): ErrorAnswer {
  if (error instanceof Failure) {
    const [status, text] = STATUS[error.kind]
    const key =
      error.kind === 'parameter' || error.kind === 'unsupported_type' || error.kind === 'gone'
        ? 'error'
        : 'message'
    // The instance's throttle answers in plain text; the limits of endpoints have a JSON body.
    const isPlain = error.kind === 'moved' || (error.kind === 'too_many' && !error.body)
    const plain = isPlain ? { text: `${error.detail === undefined ? text : error.message}\n` } : {}
    return {
      ...plain,
      status,
      body: error.body ?? { [key]: error.detail ?? text },
      headers: error.headers,
      unexpected: false,
    }
  }
  // Another request stored the same name between the check and the write.
  if (error instanceof UniqueViolation) {
    const fields = error.columns.map((column) => column.split('.').at(-1)!)
    const message = Object.fromEntries(fields.map((field) => [field, ['has already been taken']]))
    return { status: 409, body: { message }, headers: {}, unexpected: false }
  }
  const problem = storageProblem(error)
  if (problem) return errorAnswer(problem)
  return { status: 500, body: { message: '500 Internal Server Error' }, headers: {}, unexpected: true }
}

/**
 * The error to report. An unexpected error often has a simple reason: the owner or the account was deleted in the
 * meantime. `recheck` repeats these checks, and if it throws, its error is reported.
 */
export function reasonOf(error: unknown, recheck: () => void): unknown {
  if (errorAnswer(error).status < 500) return error
  try {
    recheck()
    return error
  } catch (reason) {
    return errorAnswer(reason).status < 500 ? reason : error
  }
}
