/** Where a host of type B server is; nothing has a slash at its end. */
export interface HostBAddress {
  /** What its pages begin with, which may have a path. */
  readonly web: string
  /** Base of its REST interface, version 1.0. */
  readonly api: string
  /** Base of the interface for branches. */
  readonly branches: string
}

/** The addresses of a host (spec administration 6.10). Undefined for what is no http or https address. */
export function hostBAddress(given: string): HostBAddress | undefined {
  const url = URL.parse(given.trim())
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '') return undefined
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') return undefined
  const web = url.origin + url.pathname.replace(/\/+$/, '')
  return { web, api: `${web}/rest/api/1.0`, branches: `${web}/rest/branch-utils/1.0` }
}
