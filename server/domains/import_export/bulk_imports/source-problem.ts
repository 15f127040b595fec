import { ForbiddenDestination } from '../../../lib/outbound.ts'

/** Why the other instance could not be asked, as a sentence for people: no address with credentials, no stack. */
export class SourceProblem extends Error {
  /** The other instance's status; 0 where it did not answer. */
  readonly status: number
  /** It may go better later. */
  readonly mayPass: boolean
  /** Milliseconds to leave it alone, where it said so. */
  readonly pauseMs: number

  constructor(sentence: string, { status = 0, mayPass = false, pauseMs = 0 } = {}) {
    super(sentence)
    this.name = 'SourceProblem'
    this.status = status
    this.mayPass = mayPass
    this.pauseMs = pauseMs
  }
}

/** What is said of a request that did not come through at all. */
export function problemOf(error: unknown, host: string): SourceProblem {
  if (error instanceof SourceProblem) return error
  const causes = [error, (error as { cause?: unknown } | null)?.cause]
  const forbidden = causes.find((one) => one instanceof ForbiddenDestination)
  if (forbidden) return new SourceProblem(forbidden.message)
  const name = (error as { name?: string } | null)?.name
  if (name === 'TimeoutError' || name === 'AbortError')
    return new SourceProblem(`${host} did not answer in time.`, { mayPass: true })
  return new SourceProblem(`${host} could not be reached.`, { mayPass: true })
}

const STATUS_SENTENCES: Readonly<Record<number, string>> = {
  401: 'The access token is not valid there.',
  403: 'The access token may not do that there.',
  404: 'It was not found there.',
}

/** What is said of an answer that is no success. */
export function problemOfStatus(status: number, host: string, headers: Headers): SourceProblem {
  if (status === 429) {
    const seconds = Number(headers.get('retry-after')) || untilReset(headers)
    const pauseMs = Math.min(Math.max(seconds, 1), 3600) * 1000
    return new SourceProblem(`${host} was asked too often.`, { status, mayPass: true, pauseMs })
  }
  const sentence = STATUS_SENTENCES[status]
  if (sentence) return new SourceProblem(sentence, { status })
  if (status >= 300 && status < 400)
    return new SourceProblem(`${host} led to another address, which is not followed.`, { status })
  return new SourceProblem(`${host} answered with status ${status}.`, { status, mayPass: status >= 500 })
}

function untilReset(headers: Headers): number {
  const reset = Number(headers.get('ratelimit-reset'))
  return reset > 0 ? reset - Date.now() / 1000 : 60
}
