import type { WebExchange } from '../../../http/web-route.ts'
import { errorAnswer } from '../../../http/answer/errors.ts'
import { Failure } from '../../../lib/fail.ts'
import { storageProblem } from '../../../lib/files/storage-problem.ts'
import { Refusal } from '../smart_http/refusal.ts'

/** What requests and answers are written in. */
export const LFS_TYPE = 'application/vnd.git-lfs+json'

const LITTLE = 64 * 1024 * 1024

/** Answers in the form that clients of large files read. */
export function answer(
  { res }: Pick<WebExchange, 'res'>,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  res.writeHead(status, { 'Content-Type': LFS_TYPE, 'Cache-Control': 'no-store', ...headers })
  res.end(JSON.stringify(body))
}

/** Runs `work` and answers refusals with a sentence that clients show. */
export async function answering(exchange: WebExchange, work: () => Promise<void>): Promise<void> {
  const { req, res } = exchange
  try {
    await work()
  } catch (error) {
    if (res.headersSent || (req.destroyed && !req.complete)) res.destroy()
    else refuse(exchange, refusalOf(error))
  }
}

function refuse(exchange: WebExchange, refusal: Refusal): void {
  const { req, ctx, requestId } = exchange
  // What the client is still sending is thrown away where that is little; otherwise the connection ends.
  const hasBody = req.method !== 'GET' && req.method !== 'HEAD'
  const isUnread = hasBody && !req.complete && !(Number(req.headers['content-length'] ?? Infinity) <= LITTLE)
  const challenge = refusal.headers['WWW-Authenticate']
  answer(
    exchange,
    refusal.status,
    { message: refusal.message, documentation_url: `${ctx.config.url}/-/docs`, request_id: requestId },
    {
      ...refusal.headers,
      // Clients ask for a password where they are told so in a header of their own, and pages never do.
      ...(challenge === undefined ? {} : { 'LFS-Authenticate': challenge }),
      ...(isUnread ? { Connection: 'close' } : {}),
    },
  )
  if (!isUnread) req.resume()
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  const problem = storageProblem(error)
  if (problem) return new Refusal(507, problem.message)
  if (!(error instanceof Failure)) throw error
  const { status, headers, body } = errorAnswer(error)
  const { message, error: text } = (body ?? {}) as { message?: unknown; error?: unknown }
  return new Refusal(status, String(message ?? text ?? error.message), headers)
}
