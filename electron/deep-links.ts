import { isPath } from './origin.ts'

/**
 * The path of the page in a `deskforge://` address, or undefined for other text. Both
 * `deskforge://group/project/-/merge_requests/1` and the form with three slashes are valid. Only path, query and
 * fragment are used: an address can choose a page, but no host, and can start nothing.
 */
export function pageOf(address: string): string | undefined {
  if (!/^deskforge:\/\//i.test(address) || !URL.canParse(address)) return undefined
  const rest = address.slice('deskforge://'.length)
  const path = `/${rest.replace(/^\/+/, '')}`
  if (!isPath(path) || path.length > 2000) return undefined
  const url = new URL(path, 'http://instance.invalid')
  const isApi = /^\/(api|oauth)(\/|$)/.test(url.pathname) || url.pathname.includes('.git/')
  return isApi ? undefined : url.pathname + url.search + url.hash
}

/** The first page in a program's arguments; Windows and Linux pass an address that way. */
export function pageAmong(args: readonly string[]): string | undefined {
  for (const arg of args) {
    const page = pageOf(arg)
    if (page) return page
  }
  return undefined
}
