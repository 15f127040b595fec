import { isIP } from 'node:net'

import type { Ctx } from '../../ctx.ts'
import type { Integration } from './catalogue/index.ts'
import type { Value } from './settings.ts'

/**
 * Addresses among the given settings that this instance may not send requests to, by field. Only what can be told
 * without asking a name server is refused here; sending looks again.
 */
export async function checkReachable(
  ctx: Ctx,
  one: Integration,
  values: Readonly<Record<string, Value>>,
): Promise<Record<string, string>> {
  const problems: Record<string, string> = {}
  for (const { name, format } of one.fields) {
    const value = values[name]
    if (format !== 'address' || typeof value !== 'string' || !URL.canParse(value.trim())) continue
    if (!(await mayBeReached(ctx, new URL(value.trim()))))
      problems[name] = 'is blocked: Requests to the local network are not allowed'
  }
  return problems
}

async function mayBeReached(ctx: Ctx, { hostname, port }: URL): Promise<boolean> {
  const host = hostname.replace(/^\[|\]$/g, '')
  const isLocal = host === 'localhost' || host.endsWith('.localhost')
  if (isIP(host) === 0 && !isLocal) return true
  try {
    await ctx.outbound.addressOf(isLocal ? '127.0.0.1' : host, 'any', Number(port) || undefined)
    return true
  } catch {
    return false
  }
}
