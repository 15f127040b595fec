/** Schemes that run code in the browser or open local files. */
const FORBIDDEN = new Set(['javascript:', 'data:', 'vbscript:', 'file:', 'blob:', 'about:', 'urn:'])

/** Loopback hosts that do not depend on DNS (RFC 8252, 7.3). */
const LOOPBACK = new Set(['127.0.0.1', '[::1]'])

/** Returns the redirect URIs in a text, which separates them by line breaks or spaces. */
export function redirectList(text: string): string[] {
  return text.split(/\s+/).filter((uri) => uri !== '')
}

/** Returns the contract's error for an invalid redirect URI; undefined for a valid one. */
export function redirectProblem(text: string): string | undefined {
  const url = URL.parse(text)
  // Characters allowed in a URI (RFC 3986) and in a header.
  const isPlain = /^[a-z][a-z0-9+.-]*:\/[\x21-\x7e]*$/i.test(text)
  const hasHost = !/^https?:/i.test(text) || /^https?:\/\/[^/?#]/i.test(text)
  if (!url || !isPlain || !hasHost) return 'must be an absolute URI.'
  if (text.includes('#')) return 'cannot contain a fragment.'
  if (FORBIDDEN.has(url.protocol)) return 'is forbidden by the server.'
  return url.username || url.password ? 'must be an absolute URI.' : undefined
}

/**
 * Returns the host and path of a loopback URI such as `http://127.0.0.1:4711/cb`, without the port; undefined for
 * other hosts.
 */
function withoutPort(text: string): string | undefined {
  const url = URL.parse(text)
  if (!url || url.protocol !== 'http:' || !LOOPBACK.has(url.hostname)) return undefined
  const authority = /^http:\/\/([^/?#]*)/i.exec(text)![1]!
  // Only the port may differ, so URIs with user info do not match.
  if (!/^(127\.0\.0\.1|\[::1\])(:\d{1,5})?$/.test(authority)) return undefined
  return `${url.hostname} ${text.slice(`http://${authority}`.length)}`
}

/**
 * Returns true for a registered redirect URI. The URIs must be equal, except for the port on the loopback interface,
 * which a native application chooses at run time (RFC 8252, 7.3).
 */
export function isRegistered(registered: string, uri: string): boolean {
  const loopbackUri = withoutPort(uri)
  return redirectList(registered).some(
    (registeredUri) =>
      registeredUri === uri || (loopbackUri !== undefined && withoutPort(registeredUri) === loopbackUri),
  )
}

/** Appends parameters to the query of a redirect URI. */
export function withParameters(uri: string, values: Readonly<Record<string, string | undefined>>): string {
  const defined = Object.entries(values).filter(([, value]) => value !== undefined) as [string, string][]
  const query = new URLSearchParams(defined).toString()
  return uri + (uri.includes('?') ? (/[?&]$/.test(uri) ? '' : '&') : '?') + query
}
