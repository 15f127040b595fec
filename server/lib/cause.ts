/** What a request is remembered by; see `Ctx.cause`. */
interface Cause {
  readonly uuid: string
  readonly chained: boolean
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The form in which a cause is stored with a job. */
export function causeText(cause: Cause | null): string | null {
  return cause === null ? null : cause.uuid + (cause.chained ? '+' : '')
}

/** The cause that was stored with a job. */
export function causeOf(text: string | null): Cause | null {
  return text === null ? null : { uuid: text.replace(/\+$/, ''), chained: text.endsWith('+') }
}

/** The cause of a request: the UUID of a webhook's message, where the request brings one, or its own. */
export function causeOfRequest(requestId: string, told: string): Cause {
  return UUID.test(told) ? { uuid: told.toLowerCase(), chained: true } : { uuid: requestId, chained: false }
}
