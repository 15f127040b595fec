import { createHash } from 'node:crypto'

import type { Context, Next } from 'koa'

/** The key under which the page stores the token of its session, in the storage of one origin including its port. */
const STORAGE_KEY = 'deskforge.page'

const SCRIPT = `
const token = localStorage.getItem('${STORAGE_KEY}')
const headers = { Accept: 'application/json', 'X-CSRF-Token': token ?? '' }
const session = token ? await window.fetch('/-/session', { headers }).then((answer) => answer.json()) : undefined
const address = new URL(location.href)
if (session?.file_ticket) address.searchParams.set('page_ticket', session.file_ticket)
location.replace(
  session?.file_ticket ? address : '/users/sign_in?redirect=' + encodeURIComponent(location.pathname + location.search),
)
`

const PAGE = `<!doctype html><meta charset="utf-8"><title>Deskforge</title><p>Loading the file …</p>
<noscript>Open this address from the window of Deskforge.</noscript>
<script type="module">${SCRIPT}</script>`

const CSP = [
  "default-src 'none'",
  `script-src 'sha256-${createHash('sha256').update(SCRIPT).digest('base64')}'`,
  "connect-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The conditions under which the browser first gets a page instead of the file. */
interface FilePageOptions {
  /** True for a path that the API or a web route answers, not the window. */
  readonly isFile: (path: string) => boolean
  /** True for a request with a session cookie but without the token of its page. */
  readonly lacksPageToken: (ctx: Context) => boolean
}

/**
 * Answers a user who opens the address of a file in the browser, which sends the cookie but not the page's token. The
 * answer is a page of this origin, which adds a ticket to the address. It reveals nothing to a caller who only has the
 * cookie.
 */
export function filePage({ isFile, lacksPageToken }: FilePageOptions) {
  return async function answerFilePage(ctx: Context, next: Next): Promise<void> {
    const isNavigation = ctx.method === 'GET' && ctx.get('accept').includes('text/html')
    if (!isNavigation || !isFile(ctx.path) || !lacksPageToken(ctx)) return next()
    // With a status of 200, a download tool would store the page as the file.
    ctx.status = 401
    ctx.set('Cache-Control', 'no-store')
    ctx.set('Content-Security-Policy', CSP)
    ctx.set('Referrer-Policy', 'same-origin')
    ctx.type = 'html'
    ctx.body = PAGE
  }
}
