import type { Ctx } from '../../ctx.ts'
import { webCredentials, type WebExchange, webRoute } from '../../http/web-route.ts'
import { notFound } from '../../lib/fail.ts'
import { authenticate } from '../auth/index.ts'
import { openFile } from './service-repository.ts'
import { findSnippet } from './service.ts'

/** Serves the files at the `raw_url` of snippets. */
export const snippetRawPage = webRoute({
  name: 'snippets.raw',
  methods: ['GET', 'HEAD'],
  pattern: /^\/(?:(?:(?!\/-\/).)+\/)?-\/snippets\/(\d{1,15})\/raw(?:\/([^/]+)\/(.+))?$/s,
  handle: async (exchange) => {
    const { match, res, req } = exchange
    const ctx = authenticatedContext(exchange)
    const { snippet } = findSnippet(ctx, Number(match[1]))
    const path = match[3] === undefined ? snippet.files[0] : decodedSegment(match[3])
    if (path === undefined) throw notFound('File')
    const abort = new AbortController()
    res.once('close', () => abort.abort())
    const ref = match[2] === undefined ? snippet.default_branch : decodedSegment(match[2])
    const blob = await openFile(ctx, snippet, ref, path, abort.signal)
    res.writeHead(200, {
      'Content-Type': 'text/plain; charset=utf-8',
      'Content-Length': blob.size,
      'Cache-Control': 'private, no-cache',
      'X-Content-Type-Options': 'nosniff',
    })
    if (req.method === 'HEAD') {
      blob.stream.destroy()
      res.end()
    } else blob.stream.pipe(res)
  },
})

function authenticatedContext(exchange: WebExchange): Ctx {
  return { ...exchange.ctx, actor: authenticate(exchange.ctx, webCredentials(exchange)) }
}

function decodedSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    throw notFound('File')
  }
}
