import { isPath } from './origin.ts'

/**
 * The page that a `deskforge://` address names, as a path of the instance, or undefined for anything that
 * is not one. Both `deskforge://group/project/-/merge_requests/1` and the form with three slashes are
 * understood. Only path, query and fragment are taken over: an address from outside chooses a page, never
 * a host, and can start nothing.
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

/** The first page named among a program's arguments, which is how Windows and Linux hand an address over. */
export function pageAmong(args: readonly string[]): string | undefined {
  for (const arg of args) {
    const page = pageOf(arg)
    if (page) return page
  }
  return undefined
}
