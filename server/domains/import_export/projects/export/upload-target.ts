import type { Ctx } from '../../../../ctx.ts'
import { invalid } from '../../../../lib/fail.ts'
import { ForbiddenDestination } from '../../../../lib/outbound.ts'
import { BLOCKED } from '../../../projects/index.ts'

/** Where an archive is sent once it is made. */
export interface UploadTarget {
  readonly url: string
  readonly http_method?: 'PUT' | 'POST' | undefined
}

const SCHEMES = 'is blocked: Only allowed schemes are http, https'
const MAX_URL = 8192

/** Throws 400 `{url: […]}` for an address that nothing may be sent to. */
export async function checkUploadTarget(ctx: Ctx, { url }: UploadTarget): Promise<void> {
  if (!URL.canParse(url) || url.length > MAX_URL) throw invalid({ url: 'is blocked: URI is invalid' })
  const { protocol, hostname, port } = new URL(url)
  if (protocol !== 'http:' && protocol !== 'https:') throw invalid({ url: SCHEMES })
  try {
    await ctx.outbound.addressOf(hostname, 'any', Number(port) || (protocol === 'http:' ? 80 : 443))
  } catch (error) {
    // A host that is not known now may be known when the archive is made.
    if (error instanceof ForbiddenDestination) throw invalid({ url: BLOCKED })
  }
}

const PURPOSE = 'exports.upload_url'

/** An address as it is stored: it often carries a signature that lets anybody write there. */
export function sealUrl({ secrets }: Pick<Ctx, 'secrets'>, url: string): string {
  return secrets.seal(url, PURPOSE)
}

/** The address that was stored. */
export function openUrl({ secrets }: Pick<Ctx, 'secrets'>, sealed: string): string {
  return secrets.open(sealed, PURPOSE).toString()
}
