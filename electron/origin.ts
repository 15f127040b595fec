import { X509Certificate } from 'node:crypto'

/** Whether an address belongs to the instance that this window shows. Anything unreadable does not. */
export function isOwn(url: string | undefined, origin: string): boolean {
  if (!url || !URL.canParse(url)) return false
  return new URL(url).origin === new URL(origin).origin
}

/**
 * Whether the certificate that a host shows is that of the instance, at the instance's own host. It may be self-signed, and
 * have other names; nobody else has its key. Both are in PEM.
 */
export function isOwnCertificate(
  shown: { readonly hostname: string; readonly pem: string },
  origin: string,
  own: string | undefined,
): boolean {
  const host = new URL(origin).hostname.replace(/^\[|\]$/g, '')
  if (own === undefined || shown.hostname.replace(/^\[|\]$/g, '') !== host) return false
  try {
    return new X509Certificate(shown.pem).fingerprint256 === new X509Certificate(own).fingerprint256
  } catch {
    return false
  }
}

/** Whether an address may be handed to the system's browser: nothing but the web. */
export function isWeb(url: unknown): url is string {
  if (typeof url !== 'string' || !URL.canParse(url)) return false
  return ['http:', 'https:'].includes(new URL(url).protocol)
}

/** Whether a value is a path of the instance, and not the start of another address (`//host`). */
export function isPath(value: unknown): value is string {
  return typeof value === 'string' && /^\/(?![/\\])/.test(value) && !/[\0-\x1f\\]/.test(value)
}
