/** Schemes that would run something in the browser, or lead to files of its machine. */
const FORBIDDEN = new Set(['javascript:', 'data:', 'vbscript:', 'file:', 'blob:', 'about:', 'urn:'])

/** Hosts that are this machine whatever the network says (RFC 8252, 7.3). */
const LOOPBACK = new Set(['127.0.0.1', '[::1]'])

/** The redirect addresses of an application, one a line (or apart by blanks). */
export function redirectList(text: string): string[] {
  return text.split(/\s+/).filter((one) => one !== '')
}

/** What is wrong with a redirect address, in the contract's words; undefined when it is fine. */
export function redirectProblem(text: string): string | undefined {
  const url = URL.parse(text)
  // What an address is made of (RFC 3986), and what a header can hold.
  const isPlain = /^[a-z][a-z0-9+.-]*:\/[\x21-\x7e]*$/i.test(text)
  const hasHost = !/^https?:/i.test(text) || /^https?:\/\/[^/?#]/i.test(text)
  if (!url || !isPlain || !hasHost) return 'must be an absolute URI.'
  if (text.includes('#')) return 'cannot contain a fragment.'
  if (FORBIDDEN.has(url.protocol)) return 'is forbidden by the server.'
  return url.username || url.password ? 'must be an absolute URI.' : undefined
}

/** `http://127.0.0.1:4711/cb` without its port; undefined for what is not on the loopback interface. */
function withoutPort(text: string): string | undefined {
  const url = URL.parse(text)
  if (!url || url.protocol !== 'http:' || !LOOPBACK.has(url.hostname)) return undefined
  const authority = /^http:\/\/([^/?#]*)/i.exec(text)![1]!
  // Nothing but a port may differ, so whatever else an authority can hold is no match.
  if (!/^(127\.0\.0\.1|\[::1\])(:\d{1,5})?$/.test(authority)) return undefined
  return `${url.hostname} ${text.slice(`http://${authority}`.length)}`
}

/**
 * True when an application registered that address: the same text, but for the port on the loopback interface, which a
 * native application takes as it comes (RFC 8252, 7.3).
 */
export function isRegistered(registered: string, given: string): boolean {
  const bare = withoutPort(given)
  return redirectList(registered).some(
    (one) => one === given || (bare !== undefined && withoutPort(one) === bare),
  )
}

/** A redirect address with parameters at the end of its query. */
export function withParameters(uri: string, values: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined) as [string, string][]
  const query = new URLSearchParams(given).toString()
  return uri + (uri.includes('?') ? (/[?&]$/.test(uri) ? '' : '&') : '?') + query
}
