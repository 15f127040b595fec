import { X509Certificate } from 'node:crypto'

/** Returns true for a URL of the instance. */
export function isOwn(url: string | undefined, origin: string): boolean {
  if (!url || !URL.canParse(url)) return false
  return new URL(url).origin === new URL(origin).origin
}

/**
 * Returns true if a server presents the certificate of the instance at the host of the instance. The certificate may
 * be self-signed and have other names, because only the instance has its key. Certificates are in PEM format.
 */
export function isOwnCertificate(
  presented: { readonly hostname: string; readonly pem: string },
  origin: string,
  own: string | undefined,
): boolean {
  const host = new URL(origin).hostname.replace(/^\[|\]$/g, '')
  if (own === undefined || presented.hostname.replace(/^\[|\]$/g, '') !== host) return false
  try {
    return new X509Certificate(presented.pem).fingerprint256 === new X509Certificate(own).fingerprint256
  } catch {
    return false
  }
}

/** Returns true for a URL that may be opened in the system's browser: http and https only. */
export function isWeb(url: unknown): url is string {
  if (typeof url !== 'string' || !URL.canParse(url)) return false
  return ['http:', 'https:'].includes(new URL(url).protocol)
}

/** Returns true for a link with which VS Code or a JetBrains IDE clones a repository. */
export function isEditorLink(url: unknown): url is string {
  if (typeof url !== 'string' || !URL.canParse(url)) return false
  const { protocol, host, pathname, searchParams } = new URL(url)
  const hasCloneUrl = (name: string) => /^(?:https?|ssh):\/\//.test(searchParams.get(name) ?? '')
  if (protocol === 'vscode:') return host === 'vscode.git' && pathname === '/clone' && hasCloneUrl('url')
  return (
    protocol === 'jetbrains:' &&
    host === 'idea' &&
    pathname === '/checkout/git' &&
    hasCloneUrl('checkout.repo')
  )
}

/** Returns true for a path of the instance. A path that starts with `//` would be another host. */
export function isPath(value: unknown): value is string {
  return typeof value === 'string' && /^\/(?![/\\])/.test(value) && !/[\0-\x1f\\]/.test(value)
}
