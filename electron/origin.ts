import { X509Certificate } from 'node:crypto'

/** True for an address of the instance. False for invalid ones. */
export function isOwn(url: string | undefined, origin: string): boolean {
  if (!url || !URL.canParse(url)) return false
  return new URL(url).origin === new URL(origin).origin
}

/**
 * True when a host shows the instance's own certificate at the instance's own host. It may be self-signed and have
 * other names, because only the instance has its key. Both are in PEM.
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

/** True for an address that may be opened in the system's browser: http and https only. */
export function isWeb(url: unknown): url is string {
  if (typeof url !== 'string' || !URL.canParse(url)) return false
  return ['http:', 'https:'].includes(new URL(url).protocol)
}

/** True for a link by which an editor clones a repository: VS Code and the JetBrains programs know one each. */
export function isEditorLink(url: unknown): url is string {
  if (typeof url !== 'string' || !URL.canParse(url)) return false
  const { protocol, host, pathname, searchParams } = new URL(url)
  const from = (name: string) => /^(?:https?|ssh):\/\//.test(searchParams.get(name) ?? '')
  if (protocol === 'vscode:') return host === 'vscode.git' && pathname === '/clone' && from('url')
  return protocol === 'jetbrains:' && host === 'idea' && pathname === '/checkout/git' && from('checkout.repo')
}

/** True for a path of the instance, but not for the start of another address (`//host`). */
export function isPath(value: unknown): value is string {
  return typeof value === 'string' && /^\/(?![/\\])/.test(value) && !/[\0-\x1f\\]/.test(value)
}
