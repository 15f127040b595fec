import { createHash } from 'node:crypto'

import type { Context, Next } from 'koa'

/** Where the page keeps the token of its session: storage of one origin, port included. */
const KEPT_AS = 'deskforge.page'

const SCRIPT = `
const token = localStorage.getItem('${KEPT_AS}')
const headers = { Accept: 'application/json', 'X-CSRF-Token': token ?? '' }
const session = token ? await window.fetch('/-/session', { headers }).then((answer) => answer.json()) : undefined
const address = new URL(location.href)
if (session?.file_ticket) address.searchParams.set('page_ticket', session.file_ticket)
location.replace(
  session?.file_ticket ? address : '/users/sign_in?redirect=' + encodeURIComponent(location.pathname + location.search),
)
`

const PAGE = `<!doctype html><meta charset="utf-8"><title>Deskforge</title><p>Asking for the file …</p>
<noscript>Open this address from the window of Deskforge.</noscript>
<script type="module">${SCRIPT}</script>`

const CSP = [
  "default-src 'none'",
  `script-src 'sha256-${createHash('sha256').update(SCRIPT).digest('base64')}'`,
  "connect-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** What decides whether a page has to be asked first. */
interface FilePageOptions {
  /** True for an address that answers with something else than the window. */
  readonly isFile: (path: string) => boolean
  /** True for a request that shows the cookie of a session, and not what the page of that session knows. */
  readonly lacksPage: (ctx: Context) => boolean
}

/**
 * Somebody types or follows the address of a file: the browser shows the cookie, but not the token of the page. They get
 * a page of this origin, which adds the ticket to the address. It says nothing to whoever has the cookie alone.
 */
export function filePage({ isFile, lacksPage }: FilePageOptions) {
  return async function askPage(ctx: Context, next: Next): Promise<void> {
    const isNavigation = ctx.method === 'GET' && ctx.get('accept').includes('text/html')
    if (!isNavigation || !isFile(ctx.path) || !lacksPage(ctx)) return next()
    // Not an answer to what was asked, so that nobody keeps it as the file.
    ctx.status = 401
    ctx.set('Cache-Control', 'no-store')
    ctx.set('Content-Security-Policy', CSP)
    ctx.set('Referrer-Policy', 'same-origin')
    ctx.type = 'html'
    ctx.body = PAGE
  }
}
