import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import type { Ctx } from '../../../ctx.ts'
import { contentType, disposition, SANDBOX } from '../../../http/content.ts'
import { parseForm } from '../../../http/nesting.ts'
import { shownBy, webRoute, type WebExchange } from '../../../http/web-route.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import { canRead, isAble } from '../../../policy/ability.ts'
import { authenticate } from '../../auth/index.ts'
import { abilities, project as scope, type Project } from '../../projects/index.ts'
import { fileName } from './entity.ts'
import { openRaw } from './raw-service.ts'

/** The bytes of a file for the window: pictures in documents, downloads, plain text. */
export const rawFile = webRoute({
  name: 'repository.raw',
  methods: ['GET', 'HEAD'],
  pattern: /^\/((?:(?!\/-\/).)+)\/-\/raw\/(.+)$/s,
  handle: async (exchange) => {
    const { req, res, match, query } = exchange
    const ctx = signedIn(exchange)
    const project = readable(ctx, decoded(match[1]!))
    const abort = new AbortController()
    res.once('close', () => abort.abort())
    const file = await openRaw(ctx, project, decoded(match[2]!), abort.signal)
    const etag = `"${file.id}"`
    const fresh = { ETag: etag, 'Cache-Control': 'private, no-cache', Vary: 'Origin, Cookie' }
    if (req.headers['if-none-match'] === etag) {
      file.stream.destroy()
      res.writeHead(304, fresh).end()
      return
    }
    const [head, content] = await peek(file.stream)
    const { type, inline } = contentType(file.path, head)
    const kind = inline && !parseForm(query)['download'] ? 'inline' : 'attachment'
    res.writeHead(200, {
      ...fresh,
      'Content-Type': type,
      'Content-Length': file.size,
      'Content-Disposition': disposition(kind, fileName(file.path)),
      'Content-Security-Policy': SANDBOX,
      'Cross-Origin-Resource-Policy': 'same-origin',
      'X-Content-Type-Options': 'nosniff',
    })
    if (req.method === 'HEAD') {
      file.stream.destroy()
      res.end()
      return
    }
    await pipeline(content, res)
  },
})

function decoded(text: string): string {
  try {
    const plain = decodeURIComponent(text)
    if (!plain.includes('\0')) return plain
  } catch {
    // As any other address that leads nowhere.
  }
  throw notFound('File')
}

/** The same credentials as everywhere: token or session cookie. */
function signedIn(exchange: WebExchange): Ctx {
  return { ...exchange.ctx, actor: authenticate(exchange.ctx, shownBy(exchange)) }
}

function readable(ctx: Ctx, path: string): Project {
  const found = /^\d+$/.test(path) ? undefined : scope.load(ctx, path)
  if (!found || !canRead(ctx, scope, found)) throw notFound('Project')
  const scopes = ctx.actor.scopes
  const enough = scopes === null || ['api', 'read_api', 'read_repository'].some((name) => scopes.has(name))
  if (!enough || !isAble(ctx, scope, abilities.read_code, found)) {
    throw fail(ctx.actor.kind === 'anonymous' ? 'unauthorized' : 'forbidden')
  }
  return found
}

/** The beginning of a stream, which decides how it is sent, and the whole of it again. */
async function peek(stream: Readable): Promise<[Buffer, Readable]> {
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  const first = await chunks.next()
  const head = first.done ? Buffer.alloc(0) : Buffer.from(first.value)
  async function* whole(): AsyncGenerator<Buffer> {
    try {
      if (!first.done) yield head
      for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value
    } finally {
      stream.destroy()
    }
  }
  return [head, Readable.from(whole(), { objectMode: false })]
}
