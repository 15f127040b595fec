/** An address as a header carries it. */
export function hrefOf(url: string): string {
  return URL.parse(url)?.href ?? encodeURI(url)
}

/** A query with its `?`, without what says how the latest release is found; empty where nothing is left. */
export function withoutOrder(query: string): string {
  const rest = query.split('&').filter((part) => part !== '' && !/^order_by(=|$)/.test(part))
  return rest.length === 0 ? '' : `?${rest.join('&')}`
}
