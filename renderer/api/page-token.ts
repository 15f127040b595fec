/**
 * Beside the cookie, which a browser sends to every port of a host, the server wants to see what only pages of this origin
 * know: the token of the session in a header, or in the address of a file a ticket made from it.
 */

/** All tabs of this origin share it; `server/http/answer/file-page.ts` reads it, too. */
const KEPT_AS = 'deskforge.page'
/** Tickets are valid for hours; they are renewed long before they expire. */
export const RENEW_MS = 30 * 60_000

let held: string | null = null
let ticket: string | null = null

/** The token of this page's session. Storage may be blocked: then it lasts as long as the page. */
export const pageToken = (): string | null => {
  try {
    return localStorage.getItem(KEPT_AS)
  } catch {
    return held
  }
}

const keep = (token: string | null) => {
  held = token
  try {
    if (token === null) localStorage.removeItem(KEPT_AS)
    else localStorage.setItem(KEPT_AS, token)
  } catch {
    // Blocked: `held` has it.
  }
}

/** Stores the session data of an answer. A missing token does not clear it, because another tab may just have signed in. */
export const keepProof = (session: { csrf_token: string | null; file_ticket: string | null }) => {
  ticket = session.file_ticket
  if (session.csrf_token !== null && session.csrf_token !== pageToken()) keep(session.csrf_token)
}

/** Clears the session. */
export const forgetProof = () => {
  ticket = null
  keep(null)
}

/** The address of a file of this instance with what opens it now; any other address as it is. */
export const fileUrl = (address: string): string => {
  if (ticket === null || !URL.canParse(address, location.href)) return address
  const url = new URL(address, location.href)
  if (url.origin !== location.origin) return address
  url.searchParams.set('page_ticket', ticket)
  return url.pathname + url.search + url.hash
}

/** URLs of the instance that are not views of the window: files and redirects to them. */
export const IS_FILE =
  /^\/(api|uploads)\/|\/-\/(raw|archive|uploads)\/|\/-\/jobs\/.*artifacts\/|\/-\/wikis\/.+\.[a-z][a-z0-9]{1,4}$|\/-\/releases\/(permalink\/|[^/]+\/(downloads|evidences)\/)/

/**
 * A link to a file shows its plain address, to read and to copy; what opens it is added for the moment in which it is
 * followed.
 */
export const openFiles = (event: MouseEvent) => {
  const link = event.target instanceof Element ? event.target.closest('a') : null
  const address = link?.getAttribute('href')
  if (!link || !address || link.origin !== location.origin) return
  if (!link.hasAttribute('download') && !IS_FILE.test(link.pathname)) return
  link.setAttribute('href', fileUrl(link.href))
  setTimeout(() => link.setAttribute('href', address))
}

/** A ticket that came in with the address of a view has done its work. */
export const dropTicket = () => {
  const url = new URL(location.href)
  if (!url.searchParams.has('page_ticket')) return
  url.searchParams.delete('page_ticket')
  history.replaceState(history.state, '', url)
}
