/** The request that caused later work; see `Ctx.cause`. */
interface Cause {
  readonly uuid: string
  /** True if a webhook delivery caused the request. Then `uuid` is the UUID of that delivery. */
  readonly chained: boolean
  readonly ip?: string
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The text of a cause in the row of a job: the UUID, `+` if it is chained, and `@` with the IP address. */
export function causeText(cause: Cause | null): string | null {
  if (cause === null) return null
  return cause.uuid + (cause.chained ? '+' : '') + (cause.ip === undefined ? '' : `@${cause.ip}`)
}

/** The cause that was stored with a job. */
export function causeOf(text: string | null): Cause | null {
  if (text === null) return null
  const [request = '', ip] = text.split('@')
  return {
    uuid: request.replace(/\+$/, ''),
    chained: request.endsWith('+'),
    ...(ip === undefined ? {} : { ip }),
  }
}

/** The cause of a request: the UUID of the webhook delivery that led to it, or its own. */
export function causeOfRequest(requestId: string, webhookUuid: string, ip: string): Cause {
  return UUID.test(webhookUuid)
    ? { uuid: webhookUuid.toLowerCase(), chained: true, ip }
    : { uuid: requestId, chained: false, ip }
}
