import type { Ctx } from '../../../../ctx.ts'
import { tokenDigest } from '../../../../lib/security/crypto.ts'
import { byUid, type ApplicationRow } from '../applications/store.ts'

/** Credentials of a client. */
export interface ClientCredentials {
  readonly client_id?: string | undefined
  readonly client_secret?: string | undefined
}

/** Parses `Authorization: Basic`. Undefined for any other header. Both parts are form-encoded (RFC 6749, 2.3.1). */
export function basicCredentials(header: string): ClientCredentials | undefined {
  const value = /^Basic\s+([A-Za-z0-9+/=_-]+)\s*$/i.exec(header)?.[1]
  if (value === undefined) return undefined
  const text = Buffer.from(value, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon < 0) return undefined
  return { client_id: decoded(text.slice(0, colon)), client_secret: decoded(text.slice(colon + 1)) }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

/** Authenticates a client: confidential applications by their secret, others by their id alone. */
export function provenClient(ctx: Ctx, shown: ClientCredentials): ApplicationRow | undefined {
  const found = shown.client_id ? byUid(ctx.db, shown.client_id) : undefined
  if (!found) return undefined
  if (shown.client_secret) return found.secret_digest === tokenDigest(shown.client_secret) ? found : undefined
  return !found.confidential ? found : undefined
}
