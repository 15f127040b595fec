import { createReadStream, readdirSync, readFileSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'

import type { Context } from 'koa'

import { pageSecurity, type PageSettings } from '../request/guard.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
}

/** Adds the files below a folder by their URL path. */
function addFiles(files: Map<string, string>, dir: string, path = ''): void {
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    const [file, name] = [join(dir, entry.name), `${path}/${entry.name}`]
    if (entry.isDirectory()) addFiles(files, file, name)
    else if (entry.isFile()) files.set(name, file)
  }
}

/** The built window: its files by URL path, and its page. The folder is listed once, so no path can lead outside it. */
export class StaticFiles {
  readonly #files = new Map<string, string>()
  readonly #page: string | undefined

  /** `dir` is the folder of the build; without one, nothing is served. */
  constructor(dir: string | undefined) {
    if (dir && statSync(dir, { throwIfNoEntry: false })) addFiles(this.#files, dir)
    const page = this.#files.get('/index.html')
    this.#page = page ? readFileSync(page, 'utf8') : undefined
  }

  /** Sends the file of the path; false when there is none. Hashed assets may be cached forever. */
  send(ctx: Context): boolean {
    const file = ctx.path === '/index.html' ? undefined : this.#files.get(ctx.path)
    if (!file) return false
    ctx.set(
      'Cache-Control',
      ctx.path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    )
    ctx.body = createReadStream(file)
    ctx.type = TYPES[extname(file)] ?? 'application/octet-stream'
    return true
  }

  /** Sends the window's page for any path; the window's router reads the path. */
  sendPage(ctx: Context, { headers = {}, pictures = [] }: Partial<PageSettings> = {}): boolean {
    if (this.#page === undefined) return false
    pageSecurity(ctx, pictures)
    ctx.set(headers)
    ctx.set('Cache-Control', 'no-cache')
    ctx.type = 'text/html; charset=utf-8'
    ctx.body = this.#page
    return true
  }
}
