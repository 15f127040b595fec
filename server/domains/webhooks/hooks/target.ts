import type { Ctx } from '../../../ctx.ts'
import { ForbiddenDestination, type Purpose } from '../../../lib/outbound.ts'
import type { HookSecrets } from './sealing.ts'

const MAX_LENGTH = 2048
/** Names are looked up while somebody waits; a receiver that is not found now may be there later. */
const LOOKUP_MS = 2000

/** The address with its variables put in; undefined where one of them is missing. */
export function fullUrl({
  url,
  url_variables,
}: Pick<HookSecrets, 'url' | 'url_variables'>): string | undefined {
  let isWhole = true
  const full = url.replace(/\{([A-Za-z0-9._-]+)\}/g, (_, name: string) => {
    if (Object.hasOwn(url_variables, name)) return url_variables[name]!
    isWhole = false
    return ''
  })
  return isWhole ? full : undefined
}

/** Scheme, host and port that are meant, or null for what is no address. */
export function originOf(secrets: Pick<HookSecrets, 'url' | 'url_variables'>): string | null {
  const full = fullUrl(secrets)
  return full !== undefined && URL.canParse(full) ? new URL(full).origin : null
}

/**
 * Whether webhooks may be sent to an address: http or https, and no place that the settings keep out, as far as its name
 * can be resolved. What a name stands for is checked again whenever something is sent.
 */
export async function isGoodTarget(
  ctx: Pick<Ctx, 'outbound'>,
  secrets: Pick<HookSecrets, 'url' | 'url_variables'>,
  purpose: Purpose,
): Promise<boolean> {
  const full = fullUrl(secrets)
  // Line ends and tabs would vanish while the address is read, blanks around it too.
  if (full === undefined || full.length > MAX_LENGTH || /[\p{Cc}\s]/u.test(full) || !URL.canParse(full))
    return false
  const { protocol, hostname } = new URL(full)
  if (!/^https?:$/.test(protocol) || hostname === '') return false
  return isReachable(ctx, full, purpose)
}

async function isReachable(ctx: Pick<Ctx, 'outbound'>, url: string, purpose: Purpose): Promise<boolean> {
  const lookup = ctx.outbound.addressOfUrl(url, purpose).then(
    () => true,
    (error: unknown) => !(error instanceof ForbiddenDestination),
  )
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(true), LOOKUP_MS)
  })
  return Promise.race([lookup, late]).finally(() => clearTimeout(timer))
}
