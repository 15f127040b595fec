import type { Ctx } from '../../../ctx.ts'
import { ForbiddenDestination } from '../../../lib/outbound.ts'
import type { RemoteFailure } from '../config/includes/resolver.ts'

const MAX_BYTES = 1_500_000
const TIMEOUT_MS = 10_000

/** Fetches a configuration from an address; what went wrong in the words of the contract's list. */
export async function fetchRemote(
  ctx: Pick<Ctx, 'outbound'>,
  url: string,
  deadline: AbortSignal,
): Promise<{ text: string } | RemoteFailure> {
  try {
    const signal = AbortSignal.any([deadline, AbortSignal.timeout(TIMEOUT_MS)])
    const answer = await ctx.outbound.fetch(url, { signal })
    if (!answer.ok) {
      await answer.body?.cancel()
      return { status: answer.status }
    }
    return await read(answer.body)
  } catch (error) {
    return { failure: failureOf(error) }
  }
}

async function read(body: AsyncIterable<Uint8Array> | null): Promise<{ text: string } | RemoteFailure> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of body ?? []) {
    bytes += part.length
    if (bytes > MAX_BYTES) return { failure: 'http' }
    parts.push(part)
  }
  return { text: Buffer.concat(parts).toString('utf8') }
}

function failureOf(error: unknown): 'socket' | 'timeout' | 'http' {
  const causes = [error, (error as { cause?: unknown }).cause]
  if (causes.some((one) => one instanceof ForbiddenDestination)) return 'http'
  const names = causes.flatMap((one) => {
    const { name, code } = (one ?? {}) as { name?: string; code?: string }
    return [name, code]
  })
  if (
    names.some(
      (name) => name === 'TimeoutError' || name === 'AbortError' || /TIMEOUT|TIMEDOUT/.test(name ?? ''),
    )
  )
    return 'timeout'
  return names.some((name) => /^(?:ENOTFOUND|EAI_|ECONN|EHOST|ENET|EPIPE|UND_ERR_SOCKET)/.test(name ?? ''))
    ? 'socket'
    : 'http'
}
