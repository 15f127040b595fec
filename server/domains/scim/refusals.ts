import { fail, Failure } from '../../lib/fail.ts'

/** Does something whose refusals are 412 here, for what was sent does not fit (spec administration 8.2). */
export function asPrecondition<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (error instanceof Failure && (error.kind === 'bad_request' || error.kind === 'forbidden'))
      throw fail('precondition_failed', error.detail)
    throw error
  }
}
