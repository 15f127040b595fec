import { HOST_A_API, HOST_A_WEB } from '../../../../lib/aliases.ts'

/** The URLs of a GitHub host. */
export interface GithubAddress {
  /** Base of its API, without a final slash. */
  readonly api: string
  /** Origin of its pages and repositories. */
  readonly web: string
  readonly isPublic: boolean
}

export const GITHUB: GithubAddress = { api: HOST_A_API, web: HOST_A_WEB, isPublic: true }

/**
 * The URLs of a host: of the public one without a name, else of a private one (spec administration 6.9: its API is below
 * `/api/v3` unless the path names another). Undefined for anything but an http or https URL.
 */
export function githubAddress(hostname?: string): GithubAddress | undefined {
  if (hostname === undefined || hostname.trim() === '') return GITHUB
  const url = URL.parse(hostname.trim())
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '') return undefined
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') return undefined
  if ([HOST_A_API, HOST_A_WEB].includes(url.origin)) return GITHUB
  const path = url.pathname.replace(/\/+$/, '')
  const api = `${path}/`.startsWith('/api/') ? path : `${path}/api/v3`
  return { api: url.origin + api, web: url.origin, isPublic: false }
}
